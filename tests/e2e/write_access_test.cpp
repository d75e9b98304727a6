// Folders and files that other users own, can write to, or have put links into: weir neither believes them
// nor removes or overwrites anything by way of them. Most tests need root, who may give files away.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/e2e/guest.h"
#include "tests/e2e/project_texts.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kStranger = 23457;  // without a passwd entry

class WriteAccess : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
    project_.file("weir.toml", kHead + script("app", "echo made > $WEIR_OUT/made") +
                                   script("bad", "echo left > left; false"));
    project_.file("victim/elements/app/kept", "kept").file("victim/kept", "kept");
  }

  std::string path(const std::string& name) const { return project_.path() + "/" + name; }
  std::string folder(const std::string& name, mode_t mode = 0755) const {
    fs::create_directories(path(name));
    ::chmod(path(name).c_str(), mode);
    return path(name);
  }
  std::string of_stranger(const std::string& path) const {
    EXPECT_EQ(::lchown(path.c_str(), kStranger, kStranger), 0) << path;
    return path;
  }
  std::string link(const std::string& name, const std::string& target) const {
    fs::create_symlink(target, path(name));
    return path(name);
  }
  Finished show(const std::string& cache) {
    project_.use_cache(cache);
    return weir(project_, {"show"});
  }
  void expect_refused(const Finished& done, const std::string& words, const std::string& remedy) {
    EXPECT_EQ(done.exit, 2) << done.err;
    EXPECT_TRUE(says(done.err, words)) << done.err;
    EXPECT_TRUE(says(done.err, remedy)) << done.err;
  }
  void expect_victim_unharmed() {
    EXPECT_EQ(content(path("victim/kept")), "kept");
    EXPECT_EQ(content(path("victim/elements/app/kept")), "kept");
  }
  fs::path project_in_cache() {
    for (const auto& entry : fs::directory_iterator(project_.cache() + "/projects")) return entry.path();
    return {};
  }

  TempProject project_;
};

// Reproduced: root's build removed files of a victim, since the cache in a shared folder was prepared by
// another user.
TEST_F(WriteAccess, a_link_in_the_place_of_a_run_folder_is_not_followed) {
  ASSERT_EQ(weir(project_, {"build", "app"}).exit, 0);
  const auto runs = project_in_cache() / "runs";
  fs::create_symlink(path("victim"), runs / "7");
  EXPECT_EQ(weir(project_, {"build", "app"}).exit, 0);
  expect_victim_unharmed();
  EXPECT_TRUE(fs::is_directory(runs / "8")) << "the number of the link is taken";
}

TEST_F(WriteAccess, a_link_in_the_place_of_the_work_of_a_run_is_removed_and_not_followed) {
  ASSERT_EQ(weir(project_, {"build", "app"}).exit, 0);
  const auto run = project_in_cache() / "runs/7";
  fs::create_directory(run);
  fs::create_symlink(path("victim/elements"), run / "elements");
  EXPECT_EQ(weir(project_, {"build", "app"}).exit, 0);
  expect_victim_unharmed();
  EXPECT_FALSE(fs::is_symlink(run / "elements"));
}

TEST_F(WriteAccess, a_link_in_the_place_of_the_folder_of_shells_is_not_followed) {
  ASSERT_EQ(weir(project_, {"build", "app"}).exit, 0);
  fs::create_symlink(path("victim"), project_in_cache() / "shells");
  EXPECT_EQ(weir(project_, {"build", "app"}).exit, 0);
  expect_victim_unharmed();
}

TEST_F(WriteAccess, links_in_the_place_of_the_folders_of_a_project_are_refused) {
  ASSERT_EQ(weir(project_, {"build", "app"}).exit, 0);
  const auto folder = project_in_cache();
  for (const auto& one : {folder / "runs", folder}) {
    fs::remove_all(one);
    fs::create_symlink(path("victim"), one);
    expect_refused(weir(project_, {"build", "app"}), one.string() + " is not a folder of weir's",
                   "remove it");
    fs::remove(one);
  }
  expect_victim_unharmed();
}

TEST_F(WriteAccess, folders_in_the_cache_that_belong_to_somebody_else_are_refused) {
  ASSERT_EQ(weir(project_, {"build", "app"}).exit, 0);
  const auto cache = project_.cache();
  for (const std::string name : {"/store", "/projects", "/snapshots"}) {
    of_stranger(cache + name);
    expect_refused(weir(project_, {"build", "app"}), "belongs to user 23457", "chown 0 " + cache + name);
    ASSERT_EQ(::chown((cache + name).c_str(), 0, 0), 0);
  }
  of_stranger(project_in_cache().string() + "/runs");
  expect_refused(weir(project_, {"build", "app"}), "runs belongs to user 23457", "chown 0");
}

TEST_F(WriteAccess, a_cache_of_another_user_is_refused_by_every_command) {
  project_.use_cache(of_stranger(folder("theirs")));
  for (const auto& words : std::vector<std::vector<std::string>>{{"show"},
                                                                 {"build", "app"},
                                                                 {"build", "--dry-run"},
                                                                 {"log"},
                                                                 {"runs"},
                                                                 {"cache", "stat"},
                                                                 {"cache", "gc"},
                                                                 {"why", "app"},
                                                                 {"checkout", "app", "out"},
                                                                 {"ctl", "status"}}) {
    SCOPED_TRACE(words.front());
    expect_refused(weir(project_, words), "theirs belongs to user 23457, and weir runs as root (user 0)",
                   "WEIR_CACHE_DIR");
  }
  EXPECT_TRUE(fs::is_empty(path("theirs")));
  EXPECT_EQ(weir(project_, {"doctor"}).exit, 1);
}

TEST_F(WriteAccess, a_cache_below_a_folder_of_another_user_is_refused) {
  folder("theirs/cache");
  of_stranger(path("theirs"));
  expect_refused(show(path("theirs/cache")), "the folder " + path("theirs") + " belongs to user 23457",
                 "chown");
  expect_refused(show(path("theirs/new/cache")), "belongs to user 23457", "chown");
}

TEST_F(WriteAccess, a_cache_that_others_can_write_to_is_refused) {
  expect_refused(show(folder("open", 0777)), "writable by other users", "chmod go-w " + path("open"));
  expect_refused(show(folder("sticky", 01777)), "writable by other users", "chmod go-w");
  ASSERT_EQ(::chown(folder("team", 0775).c_str(), 0, kStranger), 0);
  expect_refused(show(path("team")), "mode 0775", "chmod g-w " + path("team"));
  expect_refused(show(path("open") + "/below"), "the folder " + path("open") + " is writable", "chmod go-w");
  // In a folder with the sticky bit nobody can exchange what is ours.
  EXPECT_EQ(show(path("sticky") + "/below").exit, 0);
}

TEST_F(WriteAccess, a_group_without_other_members_counts_as_its_user) {
  ASSERT_EQ(::chown(folder("own", 0775).c_str(), 0, 0), 0);
  EXPECT_EQ(show(path("own")).exit, 0);
}

TEST_F(WriteAccess, a_shared_cache_is_asked_for) {
  folder("open", 0777);
  of_stranger(folder("theirs", 0777));
  for (const auto* cache : {"open", "theirs"}) {
    project_.use_cache(path(cache));
    project_.set("WEIR_CACHE_SHARED=1");
    EXPECT_EQ(weir(project_, {"build", "app"}).exit, 0) << weir(project_, {"build", "app"}).err;
    project_.unset_all();
    EXPECT_EQ(weir(project_, {"build", "app"}).exit, 2);
    project_.file(".config/weir/config.toml", "[cache]\nshared = true\n");
    EXPECT_EQ(weir(project_, {"build", "app"}).exit, 0);
    fs::remove(path(".config/weir/config.toml"));
  }
  // Links of others are not followed there either.
  of_stranger(link("way", path("open")));
  project_.set("WEIR_CACHE_SHARED=1");
  expect_refused(show(path("way")), "is a symbolic link that belongs to user 23457", "remove the link");
}

TEST_F(WriteAccess, links_on_the_way_are_followed_if_they_are_ours_and_in_a_place_of_ours) {
  folder("far/cache");
  EXPECT_EQ(show(link("mine", path("far")) + "/cache").exit, 0);
  EXPECT_EQ(show(link("whole", path("far/cache"))).exit, 0);
  expect_refused(show(of_stranger(link("theirs", path("far"))) + "/cache"),
                 path("theirs") + " is a symbolic link that belongs to user 23457", "remove the link");
  folder("tmp", 01777);
  expect_refused(show(link("tmp/mine", path("far"))), "in a folder that everybody may write to",
                 "remove the link");
}

TEST_F(WriteAccess, a_store_on_another_disk_is_found_by_a_link_of_the_user_alone) {
  ASSERT_EQ(weir(project_, {"build", "app"}).exit, 0);
  const auto store = project_.cache() + "/store";
  fs::rename(store, path("disk"));
  fs::create_symlink(path("disk"), store);
  EXPECT_EQ(weir(project_, {"build", "app"}).exit, 0);
  EXPECT_EQ(weir(project_, {"checkout", "app", path("out")}).exit, 0);
  of_stranger(store);
  expect_refused(weir(project_, {"build", "app"}), "is a symbolic link that belongs to user 23457",
                 "remove the link");
}

TEST_F(WriteAccess, a_new_cache_is_for_its_user_alone) {
  project_.use_cache(path("new/cache"));
  ASSERT_EQ(weir(project_, {"build", "app"}).exit, 0);
  struct stat info {};
  ASSERT_EQ(::stat(project_.cache().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0700U);
}

// weir has to accept what it made itself.
TEST_F(WriteAccess, folders_of_a_new_cache_are_for_its_user_alone_with_any_umask) {
  for (const auto* command : {"build", "build", "show"}) {
    const auto done =
        run_as({std::nullopt,
                0,
                project_.path(),
                {"PATH=/usr/bin:/bin", "HOME=" + project_.path(), "WEIR_CACHE_DIR=" + project_.cache()},
                0,
                [] { return ::umask(0), true; }},
               {WEIR_BINARY, command, "app"});
    EXPECT_EQ(done.exit, 0) << done.err;
  }
  for (const auto& folder :
       {project_.cache() + "/store", project_.cache() + "/projects", project_in_cache().string(),
        project_in_cache().string() + "/runs", project_.cache() + "/snapshots"}) {
    struct stat info {};
    ASSERT_EQ(::stat(folder.c_str(), &info), 0) << folder;
    EXPECT_EQ(info.st_mode & 07777, 0700U) << folder;
  }
}

TEST_F(WriteAccess, without_home_the_passwd_entry_decides) {
  TempProject place;
  const auto doctor =
      run_as({std::nullopt, 0, place.path(), {"PATH=/usr/bin:/bin"}}, {WEIR_BINARY, "doctor", "--json"});
  EXPECT_FALSE(says(doctor.out, "/tmp/.cache")) << doctor.out;
  EXPECT_TRUE(says(doctor.out, R"("name":"cache.dir","value":"/root/.cache/weir")")) << doctor.out;
}

TEST_F(WriteAccess, without_home_and_passwd_entry_weir_refuses) {
  if (!can_become(kStranger)) GTEST_SKIP() << "this root may not become another user";
  TempProject place;
  fs::copy_file(WEIR_BINARY, place.path() + "/weir");
  of_stranger(place.path());
  const auto run = [&](std::vector<std::string> variables) {
    return run_as({kStranger, 0, place.path(), std::move(variables)},
                  {place.path() + "/weir", "cache", "stat"});
  };
  expect_refused(run({}), "there is no folder for the cache: HOME is not set, and user 23457 has no home",
                 "set HOME, cache.dir or WEIR_CACHE_DIR");
  expect_refused(run({"HOME=relative"}), "HOME is not set", "set HOME");
  EXPECT_EQ(run({"WEIR_CACHE_DIR=" + place.path() + "/cache"}).exit, 0);
  EXPECT_EQ(run({"HOME=" + place.path()}).exit, 0);
}

TEST_F(WriteAccess, a_home_that_is_not_there_or_somebody_elses_is_refused) {
  TempProject place;
  const auto run = [&](const std::string& home) {
    return run_as({std::nullopt, 0, place.path(), {"PATH=/usr/bin:/bin", "HOME=" + home}},
                  {WEIR_BINARY, "cache", "stat"});
  };
  expect_refused(run(place.path() + "/none"), "the home folder " + place.path() + "/none does not exist",
                 "set HOME");
  EXPECT_FALSE(fs::exists(place.path() + "/none"));
  expect_refused(run(of_stranger(folder("theirs"))), "belongs to user 23457", "WEIR_CACHE_DIR");
}

TEST_F(WriteAccess, settings_that_somebody_else_could_write_are_refused) {
  const auto settings = path(".config/weir/config.toml");
  project_.file(".config/weir/config.toml", "requestor = \"me\"\n");
  ASSERT_EQ(weir(project_, {"show"}).exit, 0);
  of_stranger(settings);
  expect_refused(weir(project_, {"show"}),
                 settings + ": error: is not safe to use: the file " + settings + " belongs to user 23457",
                 "XDG_CONFIG_HOME");
  ASSERT_EQ(::chown(settings.c_str(), 0, kStranger), 0);
  ::chmod(settings.c_str(), 0664);
  expect_refused(weir(project_, {"show"}), "writable by other users", "chmod g-w " + settings);
  ::chmod(settings.c_str(), 0644);
  ASSERT_EQ(weir(project_, {"show"}).exit, 0);
  of_stranger(path(".config/weir"));
  expect_refused(weir(project_, {"show"}), "belongs to user 23457", "XDG_CONFIG_HOME");
}

// They run inside of weir: `sudo -E weir` must not run those of the user.
TEST_F(WriteAccess, plugins_that_somebody_else_could_write_are_not_loaded) {
  project_.file("weir.toml", kHead + "[element.a]\nkind = \"animal\"\n");
  const auto plugins = folder(".local/share/weir/plugins");
  fs::copy_file(std::string(WEIR_ZOO) + "/good.so", plugins + "/element-animal.so");
  project_.set("XDG_DATA_HOME=" + path(".local/share"));
  ASSERT_EQ(weir(project_, {"show"}).exit, 0) << weir(project_, {"show"}).err;
  of_stranger(plugins + "/element-animal.so");
  expect_refused(weir(project_, {"show"}), "element-animal.so belongs to user 23457", "chown 0");
  ASSERT_EQ(::chown((plugins + "/element-animal.so").c_str(), 0, 0), 0);
  of_stranger(plugins);
  expect_refused(weir(project_, {"show"}), "plugins belongs to user 23457", "chown 0");
}

TEST_F(WriteAccess, outputs_are_not_written_by_way_of_links_of_others) {
  ASSERT_EQ(weir(project_, {"build", "app"}).exit, 0);
  of_stranger(link("out", path("victim/kept")));
  of_stranger(link("dangling", path("made")));
  of_stranger(link("way", path("victim")));
  for (const std::string name : {"out", "dangling", "way/new"}) {
    SCOPED_TRACE(name);
    for (const auto& words : std::vector<std::vector<std::string>>{{"build", "app", "--events", name},
                                                                   {"build", "app", "--junit", name},
                                                                   {"report", "-o", name},
                                                                   {"checkout", "app", "--tar", name}}) {
      const auto done = weir(project_, words);
      EXPECT_EQ(done.exit, 2) << words[0] << " " << words.back() << done.err;
      EXPECT_TRUE(says(done.err, "symbolic link that belongs to user 23457")) << done.err;
    }
  }
  fs::create_directory(path("empty"));
  of_stranger(link("there", path("empty")));
  expect_refused(weir(project_, {"checkout", "app", "there"}), "symbolic link that belongs to",
                 "remove the link");
  expect_refused(weir(project_, {"checkout", "app", "way/new"}), "symbolic link that belongs to",
                 "remove the link");
  expect_victim_unharmed();
  EXPECT_TRUE(fs::is_empty(path("empty")));
  EXPECT_FALSE(fs::exists(path("made")));
  EXPECT_FALSE(fs::exists(path("victim/new")));
}

TEST_F(WriteAccess, outputs_by_way_of_own_links_replace_what_they_lead_to) {
  ASSERT_EQ(weir(project_, {"build", "app"}).exit, 0);
  project_.file("far/old.xml", "old").file("far/old.tar", "old");
  link("out.xml", "far/old.xml");
  link("out.tar", "far/old.tar");
  EXPECT_EQ(weir(project_, {"build", "app", "--junit", "out.xml"}).exit, 0);
  EXPECT_EQ(weir(project_, {"checkout", "app", "--tar", "out.tar"}).exit, 0);
  EXPECT_TRUE(fs::is_symlink(path("out.xml")) && fs::is_symlink(path("out.tar")));
  EXPECT_TRUE(says(content(path("far/old.xml")), "<testsuite"));
  EXPECT_TRUE(says(content(path("far/old.tar")), "made"));
}

// `sudo weir track` in a project of a user who had put a link in the place of weir.lock.
TEST_F(WriteAccess, a_lock_file_that_is_a_link_of_another_user_is_not_replaced) {
  project_.file("source/file", "text");
  ASSERT_EQ(::system(("cd " + path("source") +
                      " && git init -q && git add . && git -c user.name=a -c user.email=a@b commit -qm a")
                         .c_str()),
            0);
  project_.file("weir.toml",
                "weir = 1\n[project]\nname = \"t\"\n[element.app]\nkind = \"import\"\nsource = [{kind = "
                "\"git\", url = \"" +
                    path("source") + "\", track = \"HEAD\"}]\n");
  of_stranger(link("weir.lock", path("victim/kept")));
  ::truncate(path("victim/kept").c_str(), 0);
  const auto tracked = weir(project_, {"track"});
  EXPECT_NE(tracked.exit, 0);
  EXPECT_TRUE(says(tracked.err, "symbolic link that belongs to user 23457")) << tracked.err;
  EXPECT_EQ(content(path("victim/kept")), "");
}

TEST_F(WriteAccess, files_that_other_users_left_beside_an_output_are_kept) {
  ASSERT_EQ(weir(project_, {"build", "app"}).exit, 0);
  project_.file("out.xml.999999999.tmp", "theirs");
  of_stranger(path("out.xml.999999999.tmp"));
  EXPECT_EQ(weir(project_, {"build", "app", "--junit", "out.xml"}).exit, 0);
  EXPECT_EQ(content(path("out.xml.999999999.tmp")), "theirs");
}

}  // namespace
}  // namespace weir::test
