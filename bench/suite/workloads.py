"""Writes the projects: the same graph for weir (one file, or a file for each element), ninja, make and BuildStream."""
import os
import shutil
from pathlib import Path

from suite import graph

BUSYBOX = "/bin/busybox"
TOOLS = ("sh", "cp", "true", "mkdir", "cat")
LARGE = 1000  # more elements than that are imported rather than copied
OLD = 1_500_000_000  # modification time of sources: long ago


def sources(root, n):
    """One file for each element, each different. Older than anything that is built; settle() before the first build."""
    for folder in graph.folders(n):
        (root / "src" / folder).mkdir(parents=True, exist_ok=True)
    for i in range(n):
        path = root / "src" / f"{graph.name(i)}.c"
        path.write_text(f"int e{i} = {i};\n")
        os.utime(path, (OLD, OLD))


def last_source(root, n):
    """The file whose change costs one job."""
    return root / "src" / f"{graph.name(n - 1)}.c"


def weir(root, n, *, each_a_file, body, sandbox="none", extra="", depends=graph.depends):
    """`body` gives the keys of element i but for its dependencies."""
    head = f'weir = 1\n[project]\nname = "bench"\n[sandbox]\nroot = "{sandbox}"\n' + extra
    root.mkdir(parents=True, exist_ok=True)
    if each_a_file:
        (root / "weir.toml").write_text(head)
        for folder in graph.folders(n):
            (root / "elements" / folder).mkdir(parents=True)
        for i in range(n):
            (root / "elements" / f"{graph.name(i)}.toml").write_text(body(i) + _depends_line(depends(i)))
    else:
        with open(root / "weir.toml", "w") as out:
            out.write(head)
            for i in range(n):
                out.write(f'[element."{graph.name(i)}"]\n{body(i)}{_depends_line(depends(i))}')


def _depends_line(elements):
    return "depends = [" + ", ".join(f'"{graph.name(d)}"' for d in elements) + "]\n" if elements else ""


def copies(i):
    """An element that copies its source file."""
    return (f'kind = "script"\nsource = [{{ kind = "local", path = "src/{graph.name(i)}.c" }}]\n'
            f'config.commands = ["cp e{i}.c $WEIR_OUT/e{i}.c"]\n')


def imports(i):
    """An element that is its source file, without running anything."""
    return f'kind = "import"\nsource = [{{ kind = "local", path = "src/{graph.name(i)}.c" }}]\n'


def copies_or_imports(n):
    """Copies; of a large project only in the last group, since the first build of it is not what is measured."""
    return lambda i: copies(i) if n <= LARGE or i >= n - graph.GROUP else imports(i)


def says_true(i):
    """An element that does nothing; the variable makes it one of its own."""
    return f'kind = "script"\nenv = {{ N = "{i}" }}\nconfig.commands = ["true"]\n'


def ninja(root, n, copy=True):
    root.mkdir(parents=True, exist_ok=True)
    with open(root / "build.ninja", "w") as out:
        out.write("rule cp\n command = cp $source $out\nrule true\n command = true\n")
        for i in range(n):
            inputs = " ".join(f"out/{graph.name(d)}" for d in graph.depends(i))
            if copy:
                source = f"src/{graph.name(i)}.c"
                out.write(f"build out/{graph.name(i)}: cp {source} {inputs}\n source = {source}\n")
            else:
                out.write(f"build out/{graph.name(i)}: true {inputs}\n")


def make(root, n, copy=True):
    root.mkdir(parents=True, exist_ok=True)
    for folder in graph.folders(n):
        (root / "out" / folder).mkdir(parents=True, exist_ok=True)
    with open(root / "Makefile", "w") as out:
        # No built-in rules: they would look for a dozen files for each.
        out.write("MAKEFLAGS += --no-builtin-rules\n.SUFFIXES:\nall:")
        for i in range(n):
            out.write(f" out/{graph.name(i)}")
        out.write("\n.PHONY: all\n")
        for i in range(n):
            inputs = " ".join(f"out/{graph.name(d)}" for d in graph.depends(i))
            source = f"src/{graph.name(i)}.c " if copy else ""
            out.write(f"out/{graph.name(i)}: {source}{inputs}\n\t{'cp $< $@' if copy else 'true'}\n")


def busybox_root(folder):
    """A root for staged sandboxes: one static program under several names."""
    (folder / "bin").mkdir(parents=True)
    shutil.copy2(BUSYBOX, folder / "bin" / "busybox")
    for tool in TOOLS:
        (folder / "bin" / tool).symlink_to("busybox")


def weir_sandboxed(root, n, staged):
    """Elements that copy their source, independent of each other, in the host's root or on a base of busybox alone."""
    sources(root, n)
    base = ""
    on_base = ""
    if staged:
        busybox_root(root / "root")
        base = '[element.base]\nkind = "import"\nsource = [{ kind = "local", path = "root" }]\nconfig.to = "/"\n'
        on_base = 'build-depends = ["base"]\n'
    weir(root, n, each_a_file=True, body=lambda i: copies(i) + on_base, sandbox="staged" if staged else "host", extra=base,
         depends=lambda i: [])


def bst(root, n):
    """The same for BuildStream; the stack `all` names all of them."""
    sources(root, n)
    busybox_root(root / "root")
    (root / "project.conf").write_text("name: bench\nelement-path: elements\n")
    elements = root / "elements"
    for folder in graph.folders(n):
        (elements / folder).mkdir(parents=True)
    (elements / "base.bst").write_text("kind: import\nsources:\n- kind: local\n  path: root\n")
    for i in range(n):
        (elements / f"{graph.name(i)}.bst").write_text(
            f"kind: manual\nbuild-depends:\n- base.bst\nsources:\n- kind: local\n  path: src/{graph.name(i)}.c\n"
            f"config:\n  install-commands:\n  - cp e{i}.c %{{install-root}}/e{i}.c\n  strip-commands: []\n")
    (elements / "all.bst").write_text("kind: stack\ndepends:\n" + "".join(f"- {graph.name(i)}.bst\n" for i in range(n)))
