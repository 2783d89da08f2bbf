/** Symbols, radii and colours of the elements by atomic number; 0 stands for an unknown one. */

const SYMBOLS =
  "X H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr " +
  "Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb " +
  "Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf " +
  "Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og ";

/** Covalent radii in Å (Cordero et al., 2008). */
const COVALENT =
  "0.2 0.31 0.28 1.28 0.96 0.84 0.76 0.71 0.66 0.57 0.58 1.66 1.41 1.21 1.11 1.07 1.05 1.02 1.06 2.03 " +
  "1.76 1.7 1.6 1.53 1.39 1.39 1.32 1.26 1.24 1.32 1.22 1.22 1.2 1.19 1.2 1.2 1.16 2.2 1.95 1.9 1.75 " +
  "1.64 1.54 1.47 1.46 1.42 1.39 1.45 1.44 1.42 1.39 1.39 1.38 1.39 1.4 2.44 2.15 2.07 2.04 2.03 2.01 " +
  "1.99 1.98 1.98 1.96 1.94 1.92 1.92 1.89 1.9 1.87 1.87 1.75 1.7 1.62 1.51 1.44 1.41 1.36 1.36 1.32 " +
  "1.45 1.46 1.48 1.4 1.5 1.5 2.6 2.21 2.15 2.06 2.0 1.96 1.9 1.87 1.8 1.69 2.0 2.0 2.0 2.0 2.0 2.0 2.0 " +
  "2.0 2.0 2.0 2.0 2.0 2.0 2.0 2.0 2.0 2.0 2.0 2.0 2.0 2.0 2.0 ";

/** Van der Waals radii in Å (Bondi, 1964; Alvarez, 2013); 0 where none is known. */
const VAN_DER_WAALS =
  "0 1.2 1.4 1.82 1.53 1.92 1.7 1.55 1.52 1.47 1.54 2.27 1.73 1.84 2.1 1.8 1.8 1.75 1.88 2.75 2.31 0 0 " +
  "0 0 0 0 0 1.63 1.4 1.39 1.87 2.11 1.85 1.9 1.85 2.02 3.03 2.49 0 0 0 0 0 0 0 1.63 1.72 1.58 1.93 " +
  "2.17 2.06 2.06 1.98 2.16 3.43 2.49 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1.75 1.66 1.55 1.96 " +
  "2.02 2.07 1.97 2.02 2.2 3.48 2.83 0 0 0 1.86 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 ";

/** Atomic masses in u (CIAAW). */
const MASSES =
  "1 1.008 4.0026 6.94 9.0122 10.81 12.011 14.007 15.999 18.998 20.18 22.99 24.305 26.982 28.085 30.974 " +
  "32.06 35.45 39.948 39.098 40.078 44.956 47.867 50.941 51.996 54.938 55.845 58.933 58.693 63.546 " +
  "65.38 69.723 72.63 74.922 78.971 79.904 83.798 85.468 87.62 88.906 91.224 92.906 95.95 97.907 101.07 " +
  "102.91 106.42 107.87 112.41 114.82 118.71 121.76 127.6 126.9 131.29 132.91 137.33 138.91 140.12 " +
  "140.91 144.24 144.91 150.36 151.96 157.25 158.93 162.5 164.93 167.26 168.93 173.05 174.97 178.49 " +
  "180.95 183.84 186.21 190.23 192.22 195.08 196.97 200.59 204.38 207.2 208.98 208.98 209.99 222.02 " +
  "223.02 226.03 227.03 232.04 231.04 238.03 237.05 244.06 243.06 247.07 247.07 251.08 252.08 257.1 " +
  "258.1 259.1 262.11 267.12 268.13 271.13 270.13 269.13 278.16 281.17 281.17 285.18 286.18 289.19 " +
  "289.19 293.2 293.21 294.21 ";

/** The usual colours of Jmol. */
const COLOURS =
  "ff0000 ffffff d9ffff cc80ff c2ff00 ffb5b5 909090 3050f8 ff0d0d 90e050 b3e3f5 ab5cf2 8aff00 bfa6a6 " +
  "f0c8a0 ff8000 ffff30 1ff01f 80d1e3 8f40d4 3dff00 e6e6e6 bfc2c7 a6a6ab 8a99c7 9c7ac7 e06633 f090a0 " +
  "50d050 c88033 7d80b0 c28f8f 668f8f bd80e3 ffa100 a62929 5cb8d1 702eb0 00ff00 94ffff 94e0e0 73c2c9 " +
  "54b5b5 3b9e9e 248f8f 0a7d8c 006985 c0c0c0 ffd98f a67573 668080 9e63b5 d47a00 940094 429eb0 57178f " +
  "00c900 70d4ff ffffc7 d9ffc7 c7ffc7 a3ffc7 8fffc7 61ffc7 45ffc7 30ffc7 1fffc7 00ff9c 00e675 00d452 " +
  "00bf38 00ab24 4dc2ff 4da6ff 2194d6 267dab 266696 175487 d0d0e0 ffd123 b8b8d0 a6544d 575961 9e4fb5 " +
  "ab5c00 754f45 428296 420066 007d00 70abfa 00baff 00a1ff 008fff 0080ff 006bff 545cf2 785ce3 8a4fe3 " +
  "a136d4 b31fd4 b31fba b30da6 bd0d87 c70066 cc0059 d1004f d90045 e00038 e6002e eb0026 eb0026 eb0026 " +
  "eb0026 eb0026 eb0026 eb0026 eb0026 eb0026 eb0026 ";

const words = (text: string) => text.trim().split(/\s+/);

export const symbols: readonly string[] = words(SYMBOLS);
export const covalentRadii: Float32Array = Float32Array.from(words(COVALENT), Number);
export const vanDerWaalsRadii: Float32Array = Float32Array.from(
  words(VAN_DER_WAALS),
  (text, number) => Number(text) || 1.6 * (covalentRadii[number] ?? 1),
);
export const atomicMasses: Float32Array = Float32Array.from(words(MASSES), Number);
export const elementColours: Uint32Array = Uint32Array.from(words(COLOURS), (text) =>
  Number.parseInt(text, 16),
);

export function symbolOf(number: number): string {
  return symbols[number] ?? "X";
}

export function numberOf(symbol: string): number {
  return Math.max(symbols.indexOf(symbol), 0);
}
