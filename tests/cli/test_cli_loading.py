"""What is wrong with the code that `worker` and `serve --extensions` are to load."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from workroom.runners.loading import load

BROKEN = {
    "class Tool(Extension)": "SyntaxError: expected ':'",
    "import not_to_be_found": "ModuleNotFoundError: No module named 'not_to_be_found'",
    "size = width * 2": "NameError: name 'width' is not defined",
    "int('many')": "ValueError: invalid literal for int() with base 10: 'many'",
    "Path('none').read_text()": "FileNotFoundError: [Errno 2] No such file or directory: 'none'",
}


@pytest.mark.parametrize("line", BROKEN)
def test_an_error_is_reported_with_the_line_of_user_code(tmp_path: Path, line: str) -> None:
    """Even if it was a library that raised."""
    file = tmp_path / "broken_tool.py"
    file.write_text(f"from pathlib import Path\n\n{line}\n")

    with pytest.raises(ValueError, match="cannot be loaded") as raised:
        load([str(file)])

    assert str(raised.value) == f"{file} cannot be loaded: {file}, line 3: `{line}`: {BROKEN[line]}"


def test_a_class_without_run_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "idle_tool.py"
    file.write_text("from workroom import Extension\n\n\nclass Idle(Extension): ...\n")

    with pytest.raises(ValueError, match=r"Idle has no run\(\)"):
        load([f"{file}:Idle"])
    with pytest.raises(ValueError, match=r"defines no Extension with a run\(\)"):
        load([str(file)])


def test_a_class_that_is_misspelt() -> None:
    with pytest.raises(ValueError, match=r"is not an Extension class: did you mean .*samples:Echo\?"):
        load(["support.extensions.samples:Ecko"])


def test_a_module_and_a_file_that_are_not_there() -> None:
    with pytest.raises(ValueError, match=r"there is no file tools/smooth\.py"):
        load(["tools/smooth.py"])
    with pytest.raises(ValueError, match="there is no module 'smooth_tools': use module:Class"):
        load(["smooth_tools"])


@pytest.mark.parametrize("name", ["", ".", "../tools/smooth", "smooth tools"])
def test_a_name_that_cannot_be_a_module(name: str) -> None:
    with pytest.raises(ValueError, match=f"'{re.escape(name)}' is not a module name: use module:Class"):
        load([f"{name}:Smooth"])


def test_a_file_whose_name_is_taken(tmp_path: Path) -> None:
    file = tmp_path / "typing.py"
    file.touch()

    with pytest.raises(ValueError, match="has the name of another module, 'typing': rename the file"):
        load([str(file)])
