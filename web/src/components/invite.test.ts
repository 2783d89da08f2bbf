import { expect, test } from "vitest";
import { codeIn, inviteIn } from "./invite";

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
  expect(codeIn(" KX4P-9TQM ")).toBe("KX4P-9TQM");
  expect(codeIn("http://localhost/join#lab/KX4P-9TQM")).toBe("KX4P-9TQM");
  expect(codeIn("http://localhost/join#")).toBe("");
});
