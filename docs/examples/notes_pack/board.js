/** Shows the notes of a room, and follows them. */
export async function mount(element, { room, readOnly, request, subscribe }) {
  const list = document.createElement("ul");
  list.setAttribute("aria-label", "Notes");
  element.append(list);
  if (!readOnly) element.append(button("Add a note", () => add()));

  async function add() {
    const id = `note-${Date.now()}`;
    await request(`/api/packs/notes/${room}/${id}`, { method: "PUT", json: { text: "Look here" } });
  }
  async function show() {
    const { items } = await request(`/api/rooms/${room}/records/notes`);
    list.replaceChildren(...items.map(({ body }) => item(body.text)));
  }
  const unsubscribe = subscribe("record:changed", show);
  await show();
  return () => unsubscribe();
}

function item(text) {
  const element = document.createElement("li");
  element.textContent = text;
  return element;
}

function button(label, click) {
  const element = document.createElement("button");
  element.textContent = label;
  element.addEventListener("click", click);
  return element;
}
