const part = (id) => document.getElementById(id);

async function ask(method, path, body) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.detail), { status: response.status });
  return answer;
}

async function show() {
  const me = await ask("GET", "/api/users/me");
  const rooms = (await ask("GET", "/api/rooms")).items;
  part("status").textContent = `You are ${me.user} (${me.role}).`;
  const lines = rooms.map(({ name, title }) => (title ? `${name}: ${title}` : name));
  if (lines.length === 0) lines.push("none yet: submitting to one makes it");
  const items = lines.map((textContent) => Object.assign(document.createElement("li"), { textContent }));
  part("rooms").replaceChildren(...items);
  part("enter").hidden = true;
  part("inside").hidden = false;
}

function stayOutside(error) {
  part("status").textContent = error.status === 401 && !error.isTold ? "Say who you are." : error.message;
  part("enter").hidden = false;
  part("inside").hidden = true;
}

async function logIn(body) {
  await ask("POST", "/api/login", { ...body, cookie: true }).catch((error) => {
    throw Object.assign(error, { isTold: true });
  });
  await show();
}

// What stands behind the # is the code of the admin's link: it works once, so it leaves the address at once.
const code = new URLSearchParams(location.hash.slice(1)).get("login");
history.replaceState(null, "", location.pathname);
(code ? logIn({ code }) : show()).catch(stayOutside);

part("enter").addEventListener("submit", (event) => {
  event.preventDefault();
  logIn({ name: part("name").value }).catch(stayOutside);
});
part("leave").addEventListener("click", async () => {
  await ask("POST", "/api/token/revoke", {});
  await show().catch(stayOutside);
});
