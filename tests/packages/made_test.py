#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Goal: what config/package/build makes is installed, runs, is upgraded and leaves again.
Method: the packages of one build, in fresh Debian systems in containers; where systemd starts there
it starts the units. Everything is printed with the times that it took.

  made_test.py SOURCE BUILD CASE   exit code 77 where the machine cannot do it
"""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

import libraries_test
import roots

SOURCE, BUILD = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
FOLDER = BUILD / "packages"
MADE = FOLDER / "made"
PROGRAMS = ("argosyd", "argosyctl", "argosy-agent")
PACKAGES = "argosy-ctl argosy-server argosy-agent"
OPERATOR = {"ARGOSY_SERVER": "nats://127.0.0.1:4222",
            "ARGOSY_CREDENTIALS": "/etc/argosy/credentials/user-root"}
STARTED = time.monotonic()


def say(*words):
    print(f"{time.monotonic() - STARTED:6.1f} s ", *words, flush=True)


def check(holds, why):
    if not holds:
        raise AssertionError(why)


def builder(*words):
    return subprocess.run((SOURCE / "config/package/build", *words), capture_output=True, text=True)


def build():
    """One command makes all of it from programs that it leaves as they are."""
    shutil.rmtree(MADE, ignore_errors=True)
    shutil.rmtree(f"{MADE}.key", ignore_errors=True)
    shutil.rmtree(FOLDER / "none", ignore_errors=True)
    before = {name: (BUILD / "bin" / name).stat().st_mtime_ns for name in PROGRAMS}
    done = builder("--from", BUILD, "--to", MADE)
    say(done.stdout, done.stderr)
    check(done.returncode == 0, "it could not be made")
    after = {name: (BUILD / "bin" / name).stat().st_mtime_ns for name in PROGRAMS}
    check(before == after, "programs were built again")
    broken = FOLDER / "broken/bin"
    broken.mkdir(parents=True, exist_ok=True)
    for name in (*PROGRAMS, "argosy-shim"):
        (broken / name).write_text("no program")
        (broken / name).chmod(0o755)
    for words, told in ((("--from", BUILD, "--to", MADE), "is not empty"),
                        (("--from", FOLDER, "--to", FOLDER / "none"), "build it first"),
                        (("--from", broken.parent, "--to", FOLDER / "none"), "nothing was made"),
                        (("--from", BUILD, "--to", FOLDER / "none", "--key", "nobody"),
                         "no secret key 'nobody'")):
        refused = builder(*words)
        check(refused.returncode != 0 and told in refused.stderr, refused.stderr)
        check("Traceback" not in refused.stderr, refused.stderr)
        check(not list(FOLDER.glob("none*")), "it left a folder behind")


def libraries():
    """The group libs of config/packages.txt is what the packages depend on."""
    depends = set()
    for name, package in debs().items():
        if name.startswith("python3-"):
            continue
        text = subprocess.run(("dpkg-deb", "--field", package, "Depends"), check=True,
                              capture_output=True, text=True).stdout
        depends |= {entry.split()[0] for entry in text.split(",") if "|" not in entry}
    provided = {}
    for line in libraries_test.output("dpkg-query", "-W", "-f",
                                      "${Package}\t${Provides}\n").splitlines():
        package, others = line.split("\t")
        provided.update({word.split()[0]: package for word in others.split(", ") if word})
        provided[package] = package
    needed = {provided.get(name, name) for name in depends} - libraries_test.ALWAYS_THERE
    rows = [line.split() for line in (SOURCE / "config/packages.txt").read_text().splitlines()]
    listed = {row[1] for row in rows if row[:1] == ["libs"]}
    check(needed == listed, f"missing of libs: {sorted(needed - listed)}; not needed: "
                            f"{sorted(listed - needed)}")


def debs(folder=None):
    return {path.name.split("_")[0]: path for path in (folder or MADE / "apt").glob("*.deb")}


def add_repository(root, source=None, options="signed-by=/etc/apt/keyrings/argosy.asc"):
    shutil.rmtree(root.path("/srv/apt"), ignore_errors=True)
    shutil.copytree(source or MADE / "apt", root.path("/srv/apt"))
    root.path("/etc/apt/keyrings").mkdir(exist_ok=True)
    shutil.copy(MADE / "apt/argosy.asc", root.path("/etc/apt/keyrings"))
    root.path("/etc/apt/sources.list.d/argosy.list").write_text(
        f"deb [{options}] file:/srv/apt ./\n")


def older_packages(folder):
    """Those of ARGOSY_OLDER_PACKAGES, or the same programs with a lower version."""
    given = os.environ.get("ARGOSY_OLDER_PACKAGES")
    if given:
        say("the older build is that of", given)
        shutil.copytree(given, folder)
        return
    say("the older build is this one with a lower version; ARGOSY_OLDER_PACKAGES names another")
    folder.mkdir()
    for name, package in debs().items():
        tree = folder / name
        subprocess.run(("dpkg-deb", "--raw-extract", package, tree), check=True)
        control = tree / "DEBIAN/control"
        control.write_text(re.sub(r"0\.1\.0\+git\S+?(?=\)|\n)", "0.1.0~older", control.read_text()))
        subprocess.run(("dpkg-deb", "-Znone", "--build", tree, folder / f"{name}_older_amd64.deb"),
                       check=True, stdout=subprocess.DEVNULL)
        shutil.rmtree(tree)


def paths_of(root):
    """What a package may leave behind: not what apt, the journal and a running system keep."""
    passing = ("proc", "sys", "dev", "run", "tmp", "srv", "var/cache", "var/lib/apt", "var/log",
               "var/lib/dpkg", "var/lib/systemd", "var/tmp", "etc/apt", "root")
    out = set()
    for folder, names, files in os.walk(root.folder):
        inside = pathlib.Path(folder).relative_to(root.folder)
        names[:] = [name for name in names if str(inside / name) not in passing]
        out |= {str(inside / name) for name in (*names, *files)}
    return out


def listening(root):
    return re.findall(r"\S+:\d+(?=\s+\S+:\*)", root.run("ss -ltn"))


def install_by_systemd(root):
    root.run("apt-get -qq update && apt-get -qq -y install argosy-server")
    check(listening(root) == [], f"something listens: {listening(root)}")
    units = root.run("systemctl list-units --all --plain --no-legend 'argosy*' 'nats*'")
    check(" active " not in units, units)
    check("disabled" in root.try_run("systemctl is-enabled nats-server")[1], "nats-server starts")
    say("installed; nothing listens, and no unit is active")


def check_owners(root):
    """Root's agent obeys what is in /etc/argosy, and the server's user may change none of it."""
    writable = root.try_run("runuser -u argosy -- find /etc/argosy -writable 2>/dev/null")[1]
    foreign = root.run("find /etc/argosy ! -user root; find /var/lib/argosy ! -user argosy")
    check(not writable + foreign, f"argosy may write {writable}; of others: {foreign}")


def set_up(root):
    # What version 0.1 made for root nobody else could read.
    owner = root.run("stat -c %U /etc/argosy").strip()
    root.run(f"runuser -u {owner} -- argosyd init /etc/argosy --listen 127.0.0.1:4222 "
             "--cluster machine-1 --user root:operator")
    root.run("systemctl start argosyd && systemctl enable --now argosy-agent@machine-1")
    until_operator(root, "argosyctl get clusters | grep connected")
    operator(root, "argosyctl queue create research")
    text = operator(root, "argosyctl run -q research -- id -u")
    check("2000000" in text, text)
    units = root.run("systemctl show -p ActiveState,NRestarts,User argosyd argosy-nats "
                     "argosy-agent@machine-1")
    check(units.count("ActiveState=active") == 3 and units.count("NRestarts=0") == 3, units)
    say("systemd has started the three units, and a job has run as a user of its own")


def operator(root, command, **more):
    return root.run(command, environment=OPERATOR, **more)


def until_operator(root, command, seconds=30):
    words = " ".join(f"{key}={value}" for key, value in OPERATOR.items())
    return root.until(f"export {words}; {command}", seconds)


def give_away(root):
    """As version 0.1 left it, whose init made all files the server's."""
    root.run("chown -R argosy:argosy /etc/argosy && chmod -R g-rwx /etc/argosy/credentials "
             "/etc/argosy/argosyd.yaml && systemctl try-restart argosyd argosy-nats")


def upgrade(root):
    """Jobs that run and that wait notice nothing."""
    long = "date +%s.%N >>/tmp/started; sleep 15"
    operator(root, f"argosyctl run -q research --detach -- sh -c '{long}'")
    root.until("test -s /tmp/started")
    load = root.start("for i in $(seq 60); do argosyctl run -q research --detach --cpu 50m -- "
                      "sleep 0.3 || exit; done", environment=OPERATOR)
    add_repository(root)
    before = root.run("dpkg-query -W argosy-server")
    root.run(f"apt-get -qq update && apt-get -qq -y install {PACKAGES}")
    after = root.run("dpkg-query -W argosy-server")
    check(before != after, "nothing was upgraded")
    check_owners(root)
    root.run("systemd-analyze verify --man=no argosyd.service argosy-nats.service "
             "argosy-agent@x.service")
    said = load.communicate(timeout=120)[0]
    check(load.returncode == 0, said)
    until_operator(root, "argosyctl get jobs --active -o name | grep -c . | grep -qx 0", 60)
    states = operator(root, "argosyctl get jobs -o wide --limit 1000")
    check(states.count("succeeded") == 62, states)
    check(len(root.run("cat /tmp/started").split()) == 1, "the long job ran twice")
    units = root.run("systemctl show -p ActiveState argosyd argosy-nats argosy-agent@machine-1")
    check(units.count("ActiveState=active") == 3, units)
    say(f"{before.split()[1]} became {after.split()[1]} under load: 62 of 62 jobs succeeded, and "
        "each began once")


def administer(root):
    """What root does to a deployment that belongs to another user."""
    root.run("systemctl reload argosyd argosy-nats")
    root.run("argosyd backup /srv/copy --verify --config /etc/argosy/argosyd.yaml")
    root.run("argosyd init /etc/argosy --rewrite && systemctl reload argosy-nats && "
             "systemctl restart argosyd")
    check_owners(root)
    code, text = root.try_run("argosyd --config /etc/argosy/argosyd.yaml")
    check(code != 0 and "runuser -u argosy" in text, text)
    say("reloaded and backed up; argosyd does not run as root, and says so")
    settings, unit = "/etc/argosy/agents/machine-1.yaml", "argosy-agent@machine-1"
    root.run(f"chown argosy {settings} && systemctl restart {unit}")
    root.until(f"journalctl -u {unit} | grep 'say: chown -h root {settings}'")
    root.run(f"chown -h root {settings}")
    until_operator(root, "argosyctl get clusters | grep connected")
    say("root's agent obeys no file of another user, and comes back when it is root's again")


def purge(root, before):
    root.run(f"apt-get -qq -y purge {PACKAGES} nats-server && apt-get -qq -y autoremove --purge")
    units = root.run("systemctl list-units --all --plain --no-legend 'argosy*' 'nats*'")
    check(" active " not in units, units)
    left = {path for path in paths_of(root) - before
            if not re.search(r"^etc/(passwd|group|g?shadow|subuid|subgid)-$|ldconfig|\.pyc$", path)}
    check(not left, f"left behind: {sorted(left)}")
    say("purged; no file is left")


def units():
    """Installed, set up, upgraded under load and purged on a machine that systemd runs."""
    with roots.copy_of(FOLDER, "bookworm", "units") as root, \
            tempfile.TemporaryDirectory(dir=FOLDER) as scratch:
        before = paths_of(root)
        older = pathlib.Path(scratch) / "older"
        older_packages(older)
        index(older)
        add_repository(root, older, "trusted=yes")
        root.run("apt-get -qq update && apt-get -qq -y install --download-only argosy-server",
                 network=True)
        with root.booted():
            install_by_systemd(root)
            set_up(root)
            if "ARGOSY_OLDER_PACKAGES" not in os.environ:
                check_owners(root)
            give_away(root)
            upgrade(root)
            administer(root)
            purge(root, before)


def index(folder):
    with (folder / "Packages").open("wb") as file:
        subprocess.run(("apt-ftparchive", "packages", "."), cwd=folder, check=True, stdout=file)


DEV = """argosyd --dev --ready-file /tmp/ready >/tmp/argosyd.log 2>&1 &
dev=$!
for i in $(seq 100); do test -e /tmp/ready && break; sleep 0.1; done
argosyctl queue create research && argosyctl run -q research -- sh -c 'echo ran on $(uname -n)'
code=$?
kill $dev; wait $dev
exit $code
"""


MAP = """import argosy
client = argosy.Client(queue="research")
client.create_queue("research")
print(sum(client.map(lambda x: x * x, range(1_000), cpu="100m", memory="64Mi")))
"""


def map_by_python(root):
    """The package for Python finds the server, and so do the jobs what they need."""
    root.run("apt-get -qq -y install python3-argosy", network=True)
    root.path("/srv/map.py").write_text(MAP)
    program = DEV.replace(next(line for line in DEV.splitlines() if "queue create" in line),
                          "python3 /srv/map.py")
    text = root.run(program)
    check(str(sum(x * x for x in range(1_000))) in text, text)
    say("a map by python3-argosy has its results")


def first_job(root):
    """The seconds from a bare machine to the first finished job, with the download."""
    add_repository(root)
    begun = time.monotonic()
    root.run("apt-get -qq update && apt-get -qq -y install argosy-server", network=True)
    installed = time.monotonic() - begun
    text = root.run(DEV, network=True)
    took = time.monotonic() - begun
    check("ran on" in text, text)
    say(f"first finished job after {took:.1f} s, of which apt took {installed:.1f} s")
    return took


def dev():
    """argosyd --dev by package; the best of three counts, since others may use the machine."""
    for attempt in range(3):
        with roots.copy_of(FOLDER, "bookworm", "dev") as root:
            took = first_job(root)
            for page in ("man1/argosyctl", "man1/argosyctl-run", "man8/argosyd"):
                check(list(root.path("/usr/share/man").glob(f"{page}.*")), f"no page {page}")
            root.run("bash -n /usr/share/bash-completion/completions/argosyctl")
            root.run("ls /usr/share/doc/argosy-ctl/config/examples/primes.yaml")
            if took < 30:
                map_by_python(root)
            root.run(f"apt-get -qq -y purge {PACKAGES} python3-argosy")
            left = root.run("find / -xdev -path /srv -prune -o -path /proc -prune -o -path /sys "
                            "-prune -o -name '*argosy*' -print")
            left = [path for path in left.split() if not re.match(
                r"/(tmp|root|etc/apt|var/(lib/apt|cache|log|lib/dpkg/lock))", path)]
            check(not left, f"left behind: {left}")
        if took < 30:
            return
    raise AssertionError("it took more than 30 s three times")


def tampered(root, change, told):
    """apt refuses a repository after the change, and says why."""
    add_repository(root)
    change(root.path("/srv/apt"))
    root.run("rm -rf /var/lib/apt/lists/*argosy* /var/lib/apt/lists/*srv*")
    code, text = root.try_run("apt-get update && apt-get -y install argosy-ctl", network=True)
    check(code != 0 and re.search(told, text), f"not refused by '{told}':\n{text}")
    check(root.try_run("dpkg-query -W argosy-ctl")[0] != 0, "it was installed")
    say("refused:", next(line for line in text.splitlines() if re.search(told, line)))


def replace(name, old, new):
    def change(folder):
        file = folder / name
        content = file.read_bytes()
        check(old in content, f"{name} has no {old}")
        file.write_bytes(content.replace(old, new))
    return change


def unsigned(folder):
    (folder / "InRelease").unlink()


def other_key(folder):
    with tempfile.TemporaryDirectory() as home:
        pathlib.Path(home).chmod(0o700)
        gpg = ("gpg", "--batch", "--quiet", "--yes", "--homedir", home)
        subprocess.run((*gpg, "--passphrase", "", "--quick-generate-key", "stranger", "default",
                        "sign", "never"), check=True)
        subprocess.run((*gpg, "--output", folder / "InRelease", "--clear-sign",
                        folder / "Release"), check=True)


def other_package(folder):
    package = debs(folder)["argosy-ctl"]
    content = bytearray(package.read_bytes())
    content[-100] ^= 1
    package.write_bytes(content)


def repository():
    """A repository that is unsigned, or is not what was signed, installs nothing."""
    with roots.copy_of(FOLDER, "bookworm", "repository") as root:
        tampered(root, unsigned, "is not signed")
        tampered(root, replace("InRelease", b"Suite: bookworm", b"Suite: bookwurm"), "BADSIG")
        tampered(root, other_key, "NO_PUBKEY")
        tampered(root, replace("Packages", b"Version: 0.1", b"Version: 9.1"), "Hash Sum|unexpected")
        tampered(root, other_package, "Hash Sum|unexpected size")
        add_repository(root)
        root.run("apt-get -qq update; apt-get -qq -y install argosy-ctl && argosyctl --version",
                 network=True)
        say("the repository as it was made installs")


def tarball():
    """Another distribution: nothing of this one is needed there."""
    archive = next(MADE.glob("*.tar.gz"))
    with roots.copy_of(FOLDER, "bullseye", "tarball") as root:
        begun = time.monotonic()
        shutil.copy(archive, root.path("/opt/argosy.tar.gz"))
        root.run("cd /opt && tar -xf argosy.tar.gz && mv argosy-0* argosy")
        on_path = {"environment": {**roots.QUIET, "PATH": "/opt/argosy/bin:/usr/bin:/bin"}}
        check("ran on" in root.run(DEV, **on_path), "no job ran")
        say(f"first finished job on Debian {root.run('cat /etc/debian_version').strip()} after "
            f"{time.monotonic() - begun:.1f} s")
        root.run("ln -s /opt/argosy/bin/argosyctl /usr/local/bin")
        check("argosyctl 0.1" in root.run("argosyctl --version"), "a link to it does not run")
        secured = """set -e
argosyd init /opt/deployment --listen 127.0.0.1:4222 --cluster m --user root:operator >/dev/null
sed -i '1a dataDir: /opt/agent' /opt/deployment/agents/m.yaml
echo 'dataDir: /opt/data' >>/opt/deployment/argosyd.yaml
nats-server -c /opt/deployment/nats-server.conf 2>/tmp/nats.log & nats=$!
argosyd --config /opt/deployment/argosyd.yaml 2>/tmp/argosyd.log & control=$!
argosy-agent --config /opt/deployment/agents/m.yaml 2>/tmp/agent.log & agent=$!
export ARGOSY_SERVER=nats://127.0.0.1:4222 ARGOSY_CREDENTIALS=/opt/deployment/credentials/user-root
for i in $(seq 100); do
  argosyctl get clusters --timeout 1s 2>/dev/null | grep -q connected && break
  sleep 0.2
done
argosyctl queue create research
argosyctl run -q research --timeout 20s -- echo secured || cat /tmp/*.log
argosyd backup /opt/copy --verify --data-dir /opt/data
kill $agent $control $nats
wait $agent $control $nats || true
"""
        text = root.run(secured, **on_path)
        check("secured" in text, text)
        say("a job ran with keys for everybody, by an agent of its own, and a backup was checked")


def images():
    """The images hold all that their programs load, and run them as an ordinary user."""
    for archive in (MADE / "images").glob("*.tar"):
        with tempfile.TemporaryDirectory(dir=FOLDER) as name:
            layout, bundle = f"{name}/layout", pathlib.Path(name) / "bundle"
            subprocess.run(("skopeo", "copy", "--quiet", f"oci-archive:{archive}",
                            f"oci:{layout}:x"), check=True)
            subprocess.run(("umoci", "unpack", "--image", f"{layout}:x", bundle), check=True,
                           capture_output=True)
            program = archive.name.split("-0.")[0]
            for words in ((program, "--version"), (program, "config", "print")):
                told = subprocess.run(("chroot", "--userspec=65532:65532", bundle / "rootfs",
                                       f"/usr/bin/{words[0]}", *words[1:]), capture_output=True,
                                      text=True)
                check(told.returncode == 0, told.stderr)
            config = (bundle / "config.json").read_text()
            check('"uid": 65532' in config and f"/usr/bin/{program}" in config, config)
        say(f"{archive.name}: {archive.stat().st_size >> 20} MB, its program runs")


def chart():
    """Helm's repository has the chart that lies in the source, and every sum is signed."""
    index_text = (MADE / "chart/index.yaml").read_text()
    archive = next((MADE / "chart").glob("*.tgz"))
    check(hashlib.sha256(archive.read_bytes()).hexdigest() in index_text, index_text)
    source = SOURCE / "config/kubernetes/chart"
    with tarfile.open(archive) as tar:
        packed = {entry.name.removeprefix("argosy/"): tar.extractfile(entry).read()
                  for entry in tar if entry.isfile()}
    check(packed == {str(path.relative_to(source)): path.read_bytes()
                     for path in source.rglob("*") if path.is_file()}, "another chart")
    plain = subprocess.run(("gpg", "--homedir", f"{MADE}.key", "--decrypt",
                            MADE / "SHA256SUMS.asc"), capture_output=True, check=True).stdout
    done = subprocess.run(("sha256sum", "--quiet", "--check"), cwd=MADE, input=plain)
    check(done.returncode == 0, "a sum differs")


CASES = (build, libraries, units, dev, repository, tarball, images, chart)


def main(case):
    if os.geteuid() != 0 or not shutil.which("dpkg-buildpackage") and case != "build":
        roots.skip("this takes root, and Debian's tools")
    if case != "build" and not (MADE / "SHA256SUMS.asc").exists():
        roots.skip("packages.build has not made anything")
    {each.__name__: each for each in CASES}[case]()


if __name__ == "__main__":
    main(sys.argv[3])
