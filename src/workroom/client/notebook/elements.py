"""Radii and colours of the elements by atomic number, as on the page; 0 stands for an unknown one."""

from __future__ import annotations

_COVALENT = """
0.2 0.31 0.28 1.28 0.96 0.84 0.76 0.71 0.66 0.57 0.58 1.66 1.41 1.21 1.11 1.07 1.05 1.02 1.06 2.03
1.76 1.7 1.6 1.53 1.39 1.39 1.32 1.26 1.24 1.32 1.22 1.22 1.2 1.19 1.2 1.2 1.16 2.2 1.95 1.9 1.75
1.64 1.54 1.47 1.46 1.42 1.39 1.45 1.44 1.42 1.39 1.39 1.38 1.39 1.4 2.44 2.15 2.07 2.04 2.03 2.01
1.99 1.98 1.98 1.96 1.94 1.92 1.92 1.89 1.9 1.87 1.87 1.75 1.7 1.62 1.51 1.44 1.41 1.36 1.36 1.32
1.45 1.46 1.48 1.4 1.5 1.5 2.6 2.21 2.15 2.06 2.0 1.96 1.9 1.87 1.8 1.69 2.0 2.0 2.0 2.0 2.0 2.0 2.0
2.0 2.0 2.0 2.0 2.0 2.0 2.0 2.0 2.0 2.0 2.0 2.0 2.0 2.0 2.0
"""
_COLOURS = """
ff0000 ffffff d9ffff cc80ff c2ff00 ffb5b5 909090 3050f8 ff0d0d 90e050 b3e3f5 ab5cf2 8aff00 bfa6a6
f0c8a0 ff8000 ffff30 1ff01f 80d1e3 8f40d4 3dff00 e6e6e6 bfc2c7 a6a6ab 8a99c7 9c7ac7 e06633 f090a0
50d050 c88033 7d80b0 c28f8f 668f8f bd80e3 ffa100 a62929 5cb8d1 702eb0 00ff00 94ffff 94e0e0 73c2c9
54b5b5 3b9e9e 248f8f 0a7d8c 006985 c0c0c0 ffd98f a67573 668080 9e63b5 d47a00 940094 429eb0 57178f
00c900 70d4ff ffffc7 d9ffc7 c7ffc7 a3ffc7 8fffc7 61ffc7 45ffc7 30ffc7 1fffc7 00ff9c 00e675 00d452
00bf38 00ab24 4dc2ff 4da6ff 2194d6 267dab 266696 175487 d0d0e0 ffd123 b8b8d0 a6544d 575961 9e4fb5
ab5c00 754f45 428296 420066 007d00 70abfa 00baff 00a1ff 008fff 0080ff 006bff 545cf2 785ce3 8a4fe3
a136d4 b31fd4 b31fba b30da6 bd0d87 c70066 cc0059 d1004f d90045 e00038 e6002e eb0026 eb0026 eb0026
eb0026 eb0026 eb0026 eb0026 eb0026 eb0026 eb0026
"""
RADII = tuple(float(radius) for radius in _COVALENT.split())  # in Å
COLOURS = tuple(_COLOURS.split())
