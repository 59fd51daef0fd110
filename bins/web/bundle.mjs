// SPDX-License-Identifier: Apache-2.0
// Bundles the web page with esbuild, and its tests; writes page.cpp, which has the page's files as
// texts, and sizes.txt, which says what takes how much of the bundle. It runs in the build folder.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const shared = {
  bundle: true,
  jsx: "automatic",
  jsxImportSource: "preact",
  target: ["es2021"],
  logLevel: "warning",
};

async function page() {
  const done = await build({
    ...shared,
    entryPoints: { page: "src/main.tsx", style: "src/style.css" },
    format: "iife",
    minify: true,
    write: false,
    metafile: true,
    outdir: "dist",
  });
  const files = done.outputFiles.map((file) => {
    const [stem, end] = file.path.split(/[\\/]/).pop().split(".");
    const hash = createHash("sha256").update(file.contents).digest("hex").slice(0, 12);
    return { name: `${stem}-${hash}.${end}`, plain: `${stem}.${end}`, text: file.text };
  });
  let html = readFileSync("src/index.html", "utf8");
  for (const file of files) html = html.replace(file.plain, file.name);
  tellSizes(done.metafile, files);
  return [
    { path: "/", type: "text/html; charset=utf-8", text: html, lasting: false },
    ...files.map((file) => ({
      path: `/assets/${file.name}`,
      type: file.name.endsWith(".css")
        ? "text/css; charset=utf-8"
        : "text/javascript; charset=utf-8",
      text: file.text,
      lasting: true,
    })),
    {
      path: "/assets/icon.svg",
      type: "image/svg+xml",
      text: readFileSync("src/icon.svg", "utf8"),
      lasting: false,
    },
  ];
}

/// Says what each package adds to the bundle.
function tellSizes(metafile, files) {
  const sums = {};
  for (const output of Object.values(metafile.outputs))
    for (const [path, { bytesInOutput }] of Object.entries(output.inputs)) {
      const found = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path);
      const owner = found ? found[1] : path.endsWith(".css") ? "own styles" : "own code";
      sums[owner] = (sums[owner] ?? 0) + bytesInOutput;
    }
  const lines = Object.entries(sums).map(([owner, bytes]) => `${owner}: ${bytes} bytes minified`);
  for (const file of files)
    lines.push(`${file.plain}: ${gzipSync(file.text, { level: 9 }).length} bytes gzipped`);
  writeFileSync("sizes.txt", `${lines.join("\n")}\n`);
}

/// A text as literals of C++. One literal has at most 64 kB.
function literals(text) {
  const bytes = Buffer.from(text, "utf8");
  const parts = [];
  let part = "";
  for (const byte of bytes) {
    const plain = byte >= 32 && byte < 127 && byte !== 34 && byte !== 92 && byte !== 63;
    part += plain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`;
    if (part.length > 16_000) {
      parts.push(part);
      part = "";
    }
  }
  parts.push(part);
  return parts.map((one) => `"${one}"`).join("\n    ");
}

function source(files) {
  const out = [
    "// SPDX-License-Identifier: Apache-2.0",
    "// bins/web/bundle.mjs has written this file.",
    '#include "bins/web/page.hpp"',
    "namespace argosy::web {",
    "namespace {",
  ];
  files.forEach((file, at) => {
    out.push(`constexpr char file_${at}[] =\n    ${literals(file.text)};`);
  });
  out.push("}", "std::vector<rest::page_file> page() {", "  return {");
  files.forEach((file, at) => {
    out.push(
      `    {"${file.path}", "${file.type}", {file_${at}, sizeof file_${at} - 1}, ${file.lasting}},`,
    );
  });
  out.push("  };", "}", "}", "");
  return out.join("\n");
}

async function tests() {
  rmSync("tests", { recursive: true, force: true });
  mkdirSync("tests");
  await build({
    ...shared,
    entryPoints: readdirSync("test").filter((n) => n.endsWith(".test.ts") || n.endsWith(".test.tsx")).map((name) => join("test", name)),
    format: "esm",
    platform: "node",
    outdir: "tests",
    outExtension: { ".js": ".mjs" },
  });
}

const [files] = await Promise.all([page(), tests()]);
writeFileSync("page.cpp", source(files));
