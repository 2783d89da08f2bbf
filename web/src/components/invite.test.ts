import { expect, test } from "vitest";
import { enteredInvite, inviteIn } from "./invite";

test("the room and the code are behind the hash of a link", () => {
  const invite = { room: "the-lab", code: "KX4P-9TQM-23AB" };
  expect(inviteIn("https://example.org:8000/join#the-lab/KX4P-9TQM-23AB")).toEqual(invite);
  expect(inviteIn("#the-lab/KX4P-9TQM-23AB")).toEqual(invite);
});

test("what is no invite is none", () => {
  for (const text of ["", "#", "#KX4P-9TQM", "#lab/", "#/KX4P", "#login=abc", "#a/b/c/"])
    expect(inviteIn(text)).toBeNull();
});

test("a code may be typed, or pasted as its link", () => {
  expect(enteredInvite(" KX4P-9TQM ", "lab")).toEqual({ room: "lab", code: "KX4P-9TQM" });
  const link = "http://localhost/join#lab/KX4P-9TQM";
  expect(enteredInvite(link, "lab")).toEqual({ room: "lab", code: "KX4P-9TQM" });
  expect(enteredInvite("http://localhost/join#", "lab")).toEqual({ room: "lab", code: "" });
});

test("a link leads to its own room, wherever it is pasted", () => {
  const link = "http://localhost/join#lab/KX4P-9TQM";
  expect(enteredInvite(link, "another")).toEqual({ room: "lab", code: "KX4P-9TQM" });
});
