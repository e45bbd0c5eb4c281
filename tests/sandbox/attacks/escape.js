// attack: reads host files and environment, connects out, and starts programs, from JavaScript
// must: accepted
// prints: DENIED
// limits: memory_kib=1048576
const fs = require("fs");
const net = require("net");
const { spawnSync } = require("child_process");

for (const path of "@host_files@".split(":"))
    for (const place of [path, "/proc/1/root" + path, "/tmp/../.." + path])
        try {
            console.log("CANARY", fs.readFileSync(place, "utf8"));
        } catch {}
if (process.env["@variable@"]) console.log("CANARY environment");
const shell = spawnSync("/bin/sh", ["-c", "cat @host_file@; cat /proc/1/environ; id -u"], { encoding: "utf8" });
if (shell.stdout.trim() !== "65534") console.log("CANARY", shell.stdout);
try {
    process.kill(Number("@host_process@"), 0);
    console.log("CANARY process");
} catch {}
let waiting = 2;
const done = () => --waiting || console.log("DENIED");
for (const target of [{ host: "127.0.0.1", port: Number("@tcp_port@") }, { path: "@unix_socket@" }]) {
    const line = net.connect(target, () => console.log("CANARY connected", target));
    line.on("error", done);
}
