"""Random small projects. Every element writes share/<name>/f*, and every one that runs commands joins the files of what it
depends on: a file that is missing or different below changes every artifact above. They are read at $CMAKE_PREFIX_PATH, which is
right with and without a sandbox."""
import hashlib
import os
import subprocess
import tarfile
from pathlib import Path

GIT = ["git", "-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always"]


def git(folder, *words):
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C",
                   "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z"}
    subprocess.run([*GIT, *words], cwd=folder, env=environment, check=True, capture_output=True)


class Element:
    def __init__(self, name, kind, source, depends):
        self.name, self.kind, self.source, self.depends = name, kind, source, depends
        self.submodule = False  # share/<name>/sub
        self.salt = 0
        self.tar_digest = ""


class Project:
    """`folder` gets weir.toml and local sources, `upstream` git repositories and archives."""

    def __init__(self, rng, folder, upstream, server_url, remotes):
        self.rng, self.folder, self.upstream, self.server_url, self.remotes = rng, Path(folder), Path(upstream), server_url, remotes
        self.sandbox = rng.choice(["host", "host", "host", "none"])
        self.retries = rng.choice([1, 3])  # of a download: each may resume the one before
        self.pause = rng.choice(["", "", "sleep 0.05 && "])
        self.elements = self._random_elements()
        for element in self.elements:
            self._write_source(element)
        self.write()

    @property
    def names(self):
        return [element.name for element in self.elements]

    def _random_elements(self):
        elements = []
        count = self.rng.randint(3, 8)
        for number in range(count):
            kind = self.rng.choice(["script", "script", "script", "import", "make", "stack"])
            if number == 0:
                kind = "import"
            if number == count - 1:
                kind = "script"
            source = "" if kind == "stack" else self.rng.choice(["git", "git", "tar", "tar", "local"])
            below = [element.name for element in elements]
            most = min(len(below), 3)
            depends = self.rng.sample(below, self.rng.randint(1, most)) if most and kind != "import" else []
            elements.append(Element(f"e{number}", kind, source, depends))
            # The .gitmodules of two imports would be in each other's way; commands copy share/ alone.
            elements[-1].submodule = source == "git" and kind != "import" and self.rng.random() < 0.4
        return elements

    def source_files(self, name):
        """The files that the artifact of an element has from its own source, by their names there."""
        element = next(one for one in self.elements if one.name == name)
        files = self._folder_of(element) / "share" / name
        found = [] if not element.source else files.glob("f*") if element.kind == "make" else files.rglob("*")
        return {f"share/{name}/{path.relative_to(files)}": path for path in sorted(found)
                if path.is_file() and not path.is_symlink() and path.name != ".git"}

    def _folder_of(self, element):
        return self.folder / element.name if element.source == "local" else self.upstream / element.name

    def _write_source(self, element):
        if not element.source:
            return
        top = self._folder_of(element)
        files = top / "share" / element.name
        (files / "deep").mkdir(parents=True)
        for number in range(self.rng.randint(2, 4)):
            (files / f"f{number}").write_text(f"{element.name} {number} {self.rng.random()}\n")
        (files / "deep" / "inner").write_text(f"inner {self.rng.random()}\n")
        (files / "tool").write_text("#!/bin/sh\nexit 0\n")
        (files / "tool").chmod(0o755)
        (files / "link").symlink_to("f0")
        if self.rng.random() < 0.3:
            (files / "big").write_bytes(self._big())
        if element.kind == "make":
            (top / "Makefile").write_text(self._makefile(element))
        if element.source == "git":
            git(top, "init", "-q", ".")
        if element.submodule:
            self._add_submodule(element)
        self._publish(element)

    def _big(self):
        """Of 1 MiB and more the store keeps a checksum. Of one that can be compressed git keeps an object far smaller than the file."""
        size = self.rng.choice([50_000, 300_000, 1_100_000])
        return self.rng.randbytes(size) if self.rng.random() < 0.5 else b"abcdefg\n" * (size // 8)

    def _module_of(self, element):
        return self.upstream / f"{element.name}-sub"

    def _add_submodule(self, element):
        module = self._module_of(element)
        module.mkdir()
        git(module, "init", "-q", ".")
        if self.rng.random() < 0.5:
            (module / "big").write_bytes(self._big())
        self._change_submodule(element)
        git(self._folder_of(element), "submodule", "--quiet", "add", f"../{module.name}", f"share/{element.name}/sub")

    def _change_submodule(self, element):
        module = self._module_of(element)
        (module / "inside").write_text(f"inside {self.rng.random()}\n")
        git(module, "add", "--all")
        git(module, "commit", "-q", "-m", "change")

    def _publish(self, element):
        top = self._folder_of(element)
        if element.source == "git":
            git(top, "add", "--all")
            git(top, "commit", "-q", "-m", "change")
        elif element.source == "tar":
            archive = self.upstream / f"{element.name}.tar"
            with tarfile.open(archive, "w") as tar:
                tar.add(top, arcname=".", filter=self._plain_owner)
            element.tar_digest = hashlib.sha256(archive.read_bytes()).hexdigest()

    @staticmethod
    def _plain_owner(entry):
        entry.uid = entry.gid = entry.mtime = 0
        entry.uname = entry.gname = ""
        return entry

    def _makefile(self, element):
        inputs = " ".join(f"$(CMAKE_PREFIX_PATH)/share/{name}/f*" for name in self._with_files(element))
        join = f"cat {inputs} > joined" if inputs else ": > joined"
        return (f"all:\n\t{join}\ninstall:\n\tmkdir -p $(DESTDIR)$(PREFIX)/share/{element.name}\n"
                f"\tcp share/{element.name}/f* $(DESTDIR)$(PREFIX)/share/{element.name}/\n"
                f"\tcp joined $(DESTDIR)$(PREFIX)/share/{element.name}/f9\n")

    def _with_files(self, element):
        """Stacks have no files of their own: what they depend on has."""
        found = []
        for name in element.depends:
            below = next(one for one in self.elements if one.name == name)
            found += self._with_files(below) if below.kind == "stack" else [name]
        return sorted(set(found))

    def _command(self, element):
        out = f"$WEIR_OUT/share/{element.name}"
        inputs = " ".join(f"$CMAKE_PREFIX_PATH/share/{name}/f*" for name in self._with_files(element))
        words = [f"mkdir -p {out}", f"cp -R share/{element.name}/. {out}/", f"echo {element.salt} > {out}/f8"]
        if inputs:
            words.append(f"cat {inputs} > {out}/f9")
        return self.pause + " && ".join(words)

    def _source_text(self, element):
        if element.source == "local":
            return f'{{kind = "local", path = "{element.name}"}}'
        if element.source == "git":
            more = ", submodules = true" if element.submodule else ""
            return f'{{kind = "git", url = "file://{self.upstream}/{element.name}", track = "main"{more}}}'
        return f'{{kind = "tar", url = "{self.server_url}/up/{element.name}.tar", ref = "{element.tar_digest}"}}'

    def _element_text(self, element):
        lines = [f"[element.{element.name}]", f'kind = "{element.kind}"']
        if element.depends:
            key = "depends" if element.kind == "stack" else "build-depends"
            lines.append(f"{key} = [" + ", ".join(f'"{name}"' for name in element.depends) + "]")
        if element.source:
            lines.append(f"source = [{self._source_text(element)}]")
        if element.kind == "script":
            lines.append(f"config.commands = ['''{self._command(element)}''']")
        return "\n".join(lines) + "\n"

    def write(self):
        head = 'weir = 1\n[project]\nname = "chaos"\ndefault = ["*"]\n' + f'[sandbox]\nroot = "{self.sandbox}"\n'
        head += f"[retry]\nnetwork = {self.retries}\ndelay = \"50ms\"\n"
        for url in self.remotes:
            head += f'[[remote]]\nurl = "{url}"\npush = true\nconnect-timeout = "1s"\n'
        (self.folder / "weir.toml").write_text(head + "".join(self._element_text(element) for element in self.elements))

    def change(self):
        """One to three edits, as a user makes them; what was changed."""
        edits = []
        for element in self.rng.sample(self.elements, min(self.rng.randint(1, 3), len(self.elements))):
            if element.kind == "script" and self.rng.random() < 0.5 or not element.source:
                element.salt += 1
                edits.append(f"command of {element.name}")
                continue
            edited = self._folder_of(element) / "share" / element.name / self.rng.choice(["f0", "f1"])
            edited.write_text(f"edited {self.rng.random()}\n")
            if element.submodule:
                self._change_submodule(element)
                git(self._folder_of(element), "submodule", "--quiet", "update", "--remote")
            self._publish(element)
            edits.append(f"{element.source} source of {element.name}")
        self.write()
        return edits
