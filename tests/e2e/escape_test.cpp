// What a build may try: to read what it did not declare, to reach the network, to change what others built,
// to leave something behind, to make a checkout write elsewhere. Every attempt is made by a real build, as
// root and as a plain user.
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/base/fd.h"
#include "tests/e2e/escape.h"

namespace weir::test::escape {
namespace {

TEST_P(Escape, undeclared_files_cannot_be_read) {
  std::vector<Attempt> attempts;
  for (const auto& path : {project_.path() + "/secret", project_.path() + "/src", project_.cache(),
                           project_.cache() + "/store", project_.cache() + "/projects",
                           std::string("/etc/shadow"), std::string("/root"), std::string("/home")})
    for (const auto* root :
         {"", "/proc/1/root", "/proc/self/root", "/proc/self/cwd/../../../..", "/proc/thread-self/cwd/.."})
      attempts.push_back({root + path, "ls -d " + (root + path)});
  attempts.push_back({"by any process", "for p in /proc/[0-9]*; do cat $p/root" + project_.path() +
                                            "/secret && exit 0; done; exit 1"});
  attempts.push_back(
      {"by any descriptor",
       "for f in /proc/[0-9]*/fd/*; do test -d $f/.. && cat $f/../*/secret && exit 0; done; exit 1"});
  attempts.push_back({"in a namespace of its own", "unshare -Urm ls -d " + project_.path() + "/secret"});
  expect_none_achieved(attempts);
}

UniqueFd listener(int family, const sockaddr* address, socklen_t size) {
  UniqueFd fd(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (::bind(fd.get(), address, size) != 0 || ::listen(fd.get(), 4) != 0) fd.reset();
  return fd;
}

TEST_P(Escape, there_is_no_network) {
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof here;
  const auto tcp = listener(AF_INET, reinterpret_cast<sockaddr*>(&here), size);
  ASSERT_TRUE(tcp && ::getsockname(tcp.get(), reinterpret_cast<sockaddr*>(&here), &size) == 0);
  sockaddr_un abstract{};
  abstract.sun_family = AF_UNIX;
  const auto name = "weir-e2e-escape-" + std::to_string(::getpid());
  name.copy(abstract.sun_path + 1, name.size());
  const auto local = listener(AF_UNIX, reinterpret_cast<sockaddr*>(&abstract),
                              static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size()));
  ASSERT_TRUE(local);
  expect_none_achieved({
      {"an interface but lo", "tail -n +3 /proc/net/dev | grep -v '^ *lo:'"},
      {"a route", "tail -n +2 /proc/net/route | grep ."},
      {"tcp to this machine",
       "exec bash -c 'exec 3<>/dev/tcp/127.0.0.1/" + std::to_string(ntohs(here.sin_port)) + "'"},
      {"tcp to another machine", "exec bash -c 'exec 3<>/dev/tcp/192.0.2.1/80'"},
      {"udp to another machine", "exec bash -c 'echo x > /dev/udp/192.0.2.1/9'"},
      {"an abstract socket of this machine",
       "exec perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, pack_sockaddr_un(\"\\0" +
           name + "\")) or exit 1'"},
  });
  EXPECT_LT(::accept(tcp.get(), nullptr, nullptr), 0);
  EXPECT_LT(::accept(local.get(), nullptr, nullptr), 0);
}

TEST_P(Escape, files_of_a_dependency_cannot_be_changed) {
  expect_none_achieved({
      {"write", "echo evil > $WEIR_PREFIX/word"},
      {"append", "echo evil >> $WEIR_PREFIX/word"},
      {"truncate", "truncate -s 0 $WEIR_PREFIX/word"},
      {"chmod", "chmod 666 $WEIR_PREFIX/word"},
      {"chmod of a program", "chmod 777 $WEIR_PREFIX/bin/tool"},
      {"chown", "chown 0:0 $WEIR_PREFIX/word"},
      {"touch", "touch $WEIR_PREFIX/word"},
      {"unlink", "rm -f $WEIR_PREFIX/word"},
      {"rename", "mv $WEIR_PREFIX/word $WEIR_PREFIX/other"},
      {"new file", "echo evil > $WEIR_PREFIX/new"},
      {"new folder", "mkdir $WEIR_PREFIX/bin/new"},
      {"extended attribute",
       "exec perl -e 'my $p = \"$ENV{WEIR_PREFIX}/word\"; syscall(188, $p, \"user.x\", \"v\", 1, 0) == 0 or "
       "exit 1'"},
  });
}

TEST_P(Escape, the_store_cannot_be_reached_by_links) {
  const auto store = project_.cache() + "/store";
  expect_none_achieved({
      {"hardlink into the output", "ln $WEIR_PREFIX/word $WEIR_OUT/hard && echo evil > $WEIR_OUT/hard"},
      {"hardlink into the build", "ln $WEIR_PREFIX/word hard && echo evil > hard"},
      {"hardlink by descriptor", "exec 3< $WEIR_PREFIX/word; ln -L /proc/self/fd/3 $WEIR_OUT/hard2"},
      {"write by symlink", "ln -s $WEIR_PREFIX/word soft && echo evil > soft"},
      {"write by symlink in the output",
       "ln -s $WEIR_PREFIX/word $WEIR_OUT/soft && echo evil > $WEIR_OUT/soft"},
      {"list the store by symlink", "ln -s " + store + " $WEIR_OUT/store && ls $WEIR_OUT/store/"},
      {"write to the store by symlink",
       "ln -s " + store + "/epoch $WEIR_OUT/epoch && test -e $WEIR_OUT/epoch"},
  });
}

TEST_P(Escape, the_store_cannot_be_reached_through_proc) {
  const auto word = std::string("$WEIR_PREFIX/word");
  expect_none_achieved({
      {"root of pid 1", "echo evil > /proc/1/root/" + word},
      {"own root", "echo evil > /proc/self/root/" + word},
      {"own folder", "cd $WEIR_PREFIX && echo evil > /proc/self/cwd/word"},
      {"reopen a descriptor", "exec 3< " + word + "; echo evil > /proc/self/fd/3"},
      {"chmod a descriptor", "exec 3< " + word + "; chmod 666 /proc/self/fd/3"},
      {"parents of folders",
       "for p in /proc/[0-9]*/cwd /proc/[0-9]*/root; do ls $p/../../../../store/objects && exit 0; done; "
       "exit 1"},
      {"mapped files", "for m in /proc/1/map_files/*; do echo evil > $m && exit 0; done; exit 1"},
  });
}

// The incident: bubblewrap leaves all capabilities to a job if weir is run by root, and one mount made a
// dependency writable.
TEST_P(Escape, mounts_cannot_be_changed) {
  const std::string rewrite = "mount -o remount,rw,bind $WEIR_PREFIX && echo evil > $WEIR_PREFIX/word";
  std::vector<Attempt> attempts{
      {"capabilities", "grep -q '^CapEff:.*[1-9a-f]' /proc/self/status"},
      {"remount of the root", "mount -o remount,rw / && touch /x"},
      {"remount of usr", "mount -o remount,rw,bind /usr && touch /usr"},
      {"a mount on a dependency", "mount -t tmpfs none $WEIR_PREFIX"},
      {"a move of a dependency", "mkdir here && mount --move $WEIR_PREFIX here"},
      {"chroot", "chroot / true"},
      {"pivot_root", "pivot_root . ."},
      {"the disk", "mknod disk b 8 0 || mknod disk b 254 0"},
      {"namespaces of pid 1", "nsenter -t 1 -m -- " + rewrite},
  };
  for (const std::string around : {"", "unshare -Urm ", "unshare -Urmpf ", "unshare -m "}) {
    const auto inside = [&](const std::string& command) { return around + "sh -ec '" + command + "'"; };
    attempts.push_back({around + "remount", inside(rewrite)});
    attempts.push_back(
        {around + "bind elsewhere",
         inside("mkdir -p b; mount --bind $WEIR_PREFIX b; mount -o remount,rw,bind b; echo evil > b/word")});
    attempts.push_back({around + "umount", inside("umount $WEIR_PREFIX")});
    attempts.push_back({around + "lazy umount", inside("umount -l $WEIR_PREFIX")});
    attempts.push_back({around + "umount of the output", inside("umount /install")});
    attempts.push_back({around + "new proc", inside("mkdir -p p; mount -t proc proc p")});
  }
  expect_none_achieved(attempts);
}

// Run by root the job is root for the kernel, and needs no capability for what root owns. Each of these
// changes nothing.
TEST_P(Escape, the_kernel_and_devices_of_the_machine_cannot_be_changed) {
  expect_none_achieved({
      {"a setting of the kernel", ": >> /proc/sys/kernel/core_pattern"},
      {"memory settings", ": >> /proc/sys/vm/swappiness"},
      {"sysrq", ": >> /proc/sysrq-trigger"},
      {"mode of a device", "chmod $(stat -c %a /dev/full) /dev/full"},
      {"time of a device", "touch -d \"$(stat -c %y /dev/zero)\" /dev/zero"},
      {"standard input of a command", "chmod $(stat -Lc %a /proc/2/fd/9) /proc/2/fd/9"},
      {"standard input of pid 1", "chmod $(stat -Lc %a /proc/1/fd/0) /proc/1/fd/0"},
  });
}

TEST_P(Escape, devices_work_all_the_same) {
  EXPECT_EQ(
      build("set -e; echo x > /dev/null; test -c /dev/stdin; test -z \"$(cat)\"; head -c 10 /dev/zero > "
            "$WEIR_OUT/zeros; "
            "head -c 10 /dev/urandom > /dev/null; ! echo x > /dev/full; echo 900 > /proc/self/oom_score_adj")
          .exit,
      0);
}

TEST_P(Escape, no_process_is_left_behind) {
  const auto tag = "weir-e2e-left-" + std::to_string(::getpid()) + "-";
  const auto sleeper = "perl -e 'sleep 1000' " + tag;
  const auto built = build(
      "setsid " + sleeper + " &\n(setsid " + sleeper + " > /dev/null 2>&1 &)\n(nohup " + sleeper + " &) &\n" +
      "perl -e 'fork and exit; setpgrp; fork and exit; $SIG{TERM} = $SIG{HUP} = \"IGNORE\"; sleep 1000' " +
      tag + "\n");
  EXPECT_EQ(built.exit, 0) << built.err;
  EXPECT_TRUE(processes_with(tag).empty());
  expect_no_harm();
}

TEST_P(Escape, what_is_no_file_in_an_output_fails_the_element) {
  for (const std::string command : {"mknod $WEIR_OUT/node c 1 3", "mknod $WEIR_OUT/node b 8 0",
                                    "mknod $WEIR_OUT/whiteout c 0 0", "mkfifo $WEIR_OUT/fifo",
                                    "perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); bind(S, "
                                    "pack_sockaddr_un(\"$ENV{WEIR_OUT}/socket\")) or die'"}) {
    const auto built = build(command);
    EXPECT_EQ(built.exit, 1) << command << built.err;
    EXPECT_FALSE(fs::exists(checkout("bad"))) << command;
    EXPECT_NE(checkout_.exit, 0) << command;
  }
  expect_no_harm();
}

TEST_P(Escape, no_setuid_or_setgid_bit_is_kept) {
  const auto built = build(
      "set -e; cd $WEIR_OUT; for bits in 4755 2755 6755 1755 4711 6444; do echo $bits > f$bits; chmod $bits "
      "f$bits; "
      "done\n"
      "echo two > first; ln first second; chmod 6755 first; mkdir d; chmod 3777 d; echo in > d/in\n",
      "after");
  ASSERT_EQ(built.exit, 0) << built.err;
  const auto out = checkout("bad");
  ASSERT_EQ(checkout_.exit, 0) << checkout_.err;
  EXPECT_EQ(content(out + "/f4755"), "4755\n");
  EXPECT_EQ(content(out + "/d/in"), "in\n");
  EXPECT_TRUE(mode_of(out + "/f6755") & S_IXUSR);
  EXPECT_FALSE(mode_of(out + "/f6444") & S_IXUSR);
  for (const auto& folder : {out, project_.cache() + "/store"})
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      EXPECT_EQ(mode_of(entry.path()) & kSpecialBits, 0u) << entry.path();
  expect_no_harm();
}

const std::string kStrangeNames = R"(use strict;
my $out = $ENV{WEIR_OUT};
sub put { open(my $file, '>', "$out/$_[0]") or die "$_[0]: $!"; print $file "x\n"; }
put($_) for '...', '..x', ' ', '-rf', "a\nb", "\r\e[2J", '\\..\\..', '*', '$(id)', '%2e%2e', 'x' x 255,
  "\xff\xfe", "\xc0\xae\xc0\xae", '~', '.weir-init';
my $at = $out;
chdir $out or die;
for (1..60) { mkdir 'd' x 100 or die; chdir 'd' x 100 or die; }
open(my $deep, '>', 'bottom') or die;
)";

TEST_P(Escape, strange_names_stay_in_the_folder_of_a_checkout) {
  project_.file("src/names.pl", kStrangeNames);
  const auto built = build("perl names.pl", "after");
  ASSERT_EQ(built.exit, 0) << built.err;
  const auto folder = checkout("bad");
  ASSERT_EQ(checkout_.exit, 0) << checkout_.err;
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  EXPECT_EQ(names, (std::set<std::string>{"...", "..x", " ", "-rf", "a\nb", "\r\x1b[2J", "\\..\\..", "*",
                                          "$(id)", "%2e%2e", std::string(255, 'x'), "\xff\xfe",
                                          "\xc0\xae\xc0\xae", "~", ".weir-init", std::string(100, 'd')}));
  expect_no_harm();
}

TEST_P(Escape, links_out_of_an_output_are_kept_as_links_and_never_followed) {
  const auto victim = project_.path() + "/victim";
  const auto built =
      build("set -e; cd $WEIR_OUT; ln -s " + victim +
                " absolute; ln -s ../victim escaping; ln -s ../../../../../../../../.." + victim +
                " far; ln -s loop loop; ln -s / root; mkdir d; ln -s ../../victim/kept d/up\n",
            "after");
  ASSERT_EQ(built.exit, 0) << built.err;
  const auto folder = checkout("bad");
  ASSERT_EQ(checkout_.exit, 0) << checkout_.err;
  EXPECT_EQ(fs::read_symlink(folder + "/absolute"), victim);
  EXPECT_EQ(fs::read_symlink(folder + "/escaping"), "../victim");
  EXPECT_EQ(fs::read_symlink(folder + "/loop"), "loop");
  EXPECT_EQ(fs::read_symlink(folder + "/d/up"), "../../victim/kept");
  EXPECT_EQ(weir({"checkout", "bad", folder}).exit, 2);  // a second time would go through the links
  expect_no_harm();
}

// One element brings a link, another a folder of that name: what is in the folder must not go through the
// link.
TEST_P(Escape, a_link_of_one_element_does_not_redirect_the_files_of_another) {
  project_.file(
      "weir.toml",
      project_text() + element("link", "ln -s " + project_.path() + "/victim $WEIR_OUT/d", "") +
          element("folder", "mkdir $WEIR_OUT/d; echo evil > $WEIR_OUT/d/kept; echo evil > $WEIR_OUT/d/new",
                  "") +
          "[element.both]\nkind = \"stack\"\nruntime-depends = [\"link\", \"folder\"]\n" +
          element("user", "true", "\"link\", \"folder\""));
  ASSERT_EQ(weir({"build", "link", "folder"}).exit, 0);
  EXPECT_EQ(weir({"build", "user"}).exit, 1);
  EXPECT_EQ(weir({"build", "both"}).exit, 0);
  checkout("both", {"--deps", "run"});
  EXPECT_NE(checkout_.exit, 0);
  expect_no_harm();
}

// The incident: a dependency whose prefix is a link to a folder of the machine had that folder bound into the
// sandbox.
TEST_P(Escape, a_prefix_that_is_a_link_shows_nothing_of_the_machine) {
  const auto victim = project_.path() + "/victim";
  for (const std::string prefix : {"/weir", "/opt/weir"}) {
    const auto made = prefix == "/weir" ? "ln -s " + victim + " $DESTDIR/weir"
                                        : "ln -s " + project_.path() + " $DESTDIR/opt";
    const auto see = prefix == "/weir" ? "kept" : "weir.toml";
    project_.file("weir/weir.toml", "seen");
    project_.file(
        "weir.toml",
        project_text() + "[variables]\nprefix = \"" + prefix + "\"\n" +
            element("link", "rm -rf $DESTDIR/weir $DESTDIR/opt; " + made, "") +
            element("user", std::string("cat $WEIR_PREFIX/") + see + " > $WEIR_OUT/seen", "\"link\""));
    EXPECT_EQ(weir({"build", "link"}).exit, 1) << prefix << ": it replaced its install root";
    EXPECT_EQ(weir({"build", "user"}).exit, 1) << prefix;
  }
  project_.file("weir.toml", project_text());
  expect_no_harm();
}

INSTANTIATE_TEST_SUITE_P(As, Escape, testing::ValuesIn(kEverywhere),
                         [](const auto& where) { return where.param.name; });

}  // namespace
}  // namespace weir::test::escape
