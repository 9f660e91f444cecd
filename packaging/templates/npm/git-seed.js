#!/usr/bin/env node
// Starts the binary that npm installed for this system. No script runs while npm installs it.
"use strict";
const path = require("node:path");
const { spawnSync } = require("node:child_process");

const name = `@PREFIX@${process.platform === "darwin" ? "darwin" : `${process.platform}-${process.arch}`}`;
let home;
try {
  home = path.dirname(require.resolve(`${name}/package.json`));
} catch {
  console.error(`error: the package ${name} is not installed`);
  console.error("hint: npm leaves it out with --omit=optional, and where there is no binary for this system");
  process.exit(1);
}
const binary = path.join(home, "bin", process.platform === "win32" ? "git-seed.exe" : "git-seed");
const args = process.argv.slice(2);
// Where node can, the binary takes this process's place: git seed looks at the processes above it.
if (typeof process.execve === "function" && process.platform !== "win32") {
  process.removeAllListeners("warning");
  process.on("warning", () => {});
  process.execve(binary, [binary, ...args], process.env);
}
const ran = spawnSync(binary, args, { stdio: "inherit" });
if (ran.error) {
  console.error(`error: ${ran.error.message}`);
  process.exit(1);
}
if (ran.signal) process.kill(process.pid, ran.signal);
process.exit(ran.status ?? 1);
