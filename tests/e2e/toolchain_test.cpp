// Tools that real builds run, under the filter of system calls: each does what it does without one. make,
// cmake, meson and autotools are in kinds_test.cpp, whole releases in releases_test.cpp.
#include <filesystem>

#include "tests/e2e/weir_process.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

// A project of one element that runs a script; `sandbox` is its section.
Finished run_in_sandbox(const std::string& script, const std::string& sandbox = {}) {
  TempProject project;
  project.file("src/run.sh", "set -e\n" + script)
      .file("weir.toml", "weir = 1\n[project]\nname = \"t\"\n[sandbox]\n" + sandbox +
                             "[element.e]\nkind = \"script\"\nsource = [{kind = \"local\", path = \"src\"}]\n"
                             "config.commands = [\"sh run.sh\"]\n");
  return weir(project, {"build", "e"});
}

// Nothing to see where the tool is not there.
bool has(const std::string& tool) {
  for (const auto* folder : {"/usr/bin/", "/usr/sbin/", "/bin/"})
    if (fs::exists(folder + tool)) return true;
  return false;
}

void expect_works(const std::string& tool, const std::string& script) {
  if (!has(tool)) GTEST_SKIP() << "no " << tool << " here";
  const auto ran = run_in_sandbox(script);
  EXPECT_EQ(ran.exit, 0) << ran.out << ran.err;
}

TEST(Toolchain, compilers_with_threads_and_link_time_optimisation) {
  expect_works("g++", R"(cat > a.cpp <<'X'
#include <thread>
#include <cstdio>
int main() { int n = 0; std::thread t([&] { n = 1; }); t.join(); std::printf("%d\n", n); return n - 1; }
X
g++ -O2 -flto=2 -pthread a.cpp -o a && ./a
g++ -fsanitize=address,undefined -g a.cpp -o b -pthread && ASAN_OPTIONS=detect_leaks=0 ./b
)");
}

TEST(Toolchain, python_with_processes_threads_and_sockets) {
  expect_works("python3", R"(/usr/bin/python3 - <<'X'
import asyncio, multiprocessing, os, socket, subprocess, tempfile, threading
def square(n): return n * n
with multiprocessing.get_context("fork").Pool(2) as pool: assert pool.map(square, [1, 2, 3]) == [1, 4, 9]
a, b = socket.socketpair(); a.send(b"x"); assert b.recv(1) == b"x"
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname()); server.accept()[0].close()
t = threading.Thread(target=lambda: None); t.start(); t.join()
assert subprocess.run(["true"]).returncode == 0
assert asyncio.run(asyncio.sleep(0, 7)) == 7
os.sched_getaffinity(0); os.getrandom(8); os.memfd_create("x")
socket.getaddrinfo("localhost", 80); socket.if_nameindex()
X
)");
}

TEST(Toolchain, perl_git_tar_and_copies_of_everything) {
  expect_works("git", R"(perl -MFile::Temp -e 'my $f = File::Temp->new; system("true") == 0 or die'
export HOME=$PWD; git init -q r; cd r; git config user.email a@b; git config user.name a
echo x > f; mkfifo p; ln -s f l; git add f l; git commit -qm x; git gc -q; git log --oneline | grep -q x; cd ..
rm r/p; tar cf r.tar r; mkdir t; tar xpf r.tar -C t; cp -a t/r copy; diff -r r copy
install -o root -g root -m 755 copy/f installed; find . -type f | xargs -P4 -n1 cat > /dev/null
)");
}

TEST(Toolchain, a_debugger_and_a_tracer_of_own_processes) {
  expect_works("gdb",
               R"(echo 'int f(int n) { return n; } int main(void) { return f(3) - 3; }' > a.c; cc -g a.c -o a
gdb -q -batch -ex 'break f' -ex run -ex bt -ex c ./a < /dev/null > out 2>&1; cat out; grep -q 'main' out
if command -v strace; then strace -f -o trace sh -c 'true | cat'; grep -q execve trace; fi
)");
}

TEST(Toolchain, java) {
  expect_works("javac", R"(cat > A.java <<'X'
public class A {
  public static void main(String[] words) throws Exception {
    Thread t = new Thread(() -> System.out.println("in a thread")); t.start(); t.join();
    java.util.stream.IntStream.range(0, 1000).parallel().sum();
    System.out.println(Runtime.getRuntime().availableProcessors());
  }
}
X
javac A.java && java A && java -XX:+UseParallelGC A
)");
}

TEST(Toolchain, user_namespaces_need_the_setting) {
  const std::string script =
      "unshare -Ur id -u > n; test $(cat n) = 0; unshare -Urmpf --mount-proc true || true";
  EXPECT_EQ(run_in_sandbox(script).exit, 1);
  const auto allowed = run_in_sandbox(script, "user-namespaces = true\n");
  EXPECT_EQ(allowed.exit, 0) << allowed.out << allowed.err;
}

TEST(Toolchain, a_sandbox_in_the_sandbox_needs_the_setting) {
  const std::string script =
      "bwrap --unshare-user --unshare-pid --unshare-net --ro-bind / / --dev-bind /dev /dev --bind /proc "
      "/proc --bind "
      "/build /build --tmpfs /tmp sh -c 'echo x > /build/from-inside; ! touch /install/x'; test -e "
      "from-inside";
  EXPECT_EQ(run_in_sandbox(script).exit, 1);
  const auto allowed = run_in_sandbox(script, "user-namespaces = true\n");
  EXPECT_EQ(allowed.exit, 0) << allowed.out << allowed.err;
}

// The key of an artifact knows the setting, and no other key does.
TEST(Toolchain, the_setting_is_part_of_the_key) {
  TempProject project;
  const auto key = [&](const std::string& sandbox) {
    project.file("weir.toml", "weir = 1\n[project]\nname = \"t\"\n[sandbox]\n" + sandbox +
                                  "[element.e]\nkind = \"script\"\nconfig.commands = [\"true\"]\n");
    const auto shown = weir(project, {"show", "--json", "e"}).out;
    const auto at = shown.find("\"key\":\"");
    return at == shown.npos ? "" : shown.substr(at + 7, 64);
  };
  const auto plain = key("");
  EXPECT_EQ(plain.size(), 64u);
  EXPECT_EQ(key("user-namespaces = false\n"), plain);
  EXPECT_NE(key("user-namespaces = true\n"), plain);
  EXPECT_EQ(key("root = \"none\"\n"), key("root = \"none\"\nuser-namespaces = true\n"))
      << "there is no sandbox";
}

}  // namespace
}  // namespace weir::test
