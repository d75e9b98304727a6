#include "core/store/verify.h"

#include <functional>
#include <set>

#include "tests/unit/core/store/store_fixture.h"

namespace weir::store::test {

namespace {

// Make something that is not a file.
const std::vector<std::function<void(const fs::path&)>> kOtherTypes{
    [](const fs::path& path) { ASSERT_EQ(::mkfifo(path.c_str(), 0644), 0); },
    [](const fs::path& path) { fs::create_directories(path / "below"); },
    [](const fs::path& path) { fs::create_symlink("/dev/zero", path); }};

class Damage : public StoreTest {
 protected:
  void damage(const Digest& digest, const std::string& content) {
    fs::permissions(object(digest), fs::perms::owner_all);
    write_file(object(digest), content);
  }
  // Keeps size and mtime, as rot or a tool that restores times would.
  void flip(const fs::path& path) {
    const auto before = stat_of(path);
    auto bytes = read_file(path);
    bytes[0] = static_cast<char>(bytes[0] ^ 1);
    fs::permissions(path, fs::perms::owner_all);
    std::ofstream(path, std::ios::binary | std::ios::in) << bytes;
    ::chmod(path.c_str(), before.st_mode & 07777);
    const timespec times[2] = {before.st_atim, before.st_mtim};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
    ASSERT_EQ(stat_of(path).st_size, before.st_size);
  }
  void expect_miss(const Artifact& artifact) {
    EXPECT_FALSE(fs::exists(object(digest_of("content"))));
    EXPECT_FALSE(must(store().lookup(artifact.key)));
  }
  void write_wrong_checksum(const Digest& digest) {
    Filesystem files;
    const auto dir = must(StoreDir::open(store_path(), files));
    must(dir->start_session());
    Checksums checksums(*dir);
    checksums.learn(digest.hash, Checksum{});
    checksums.save();
  }
  Result<Stage> try_stage(const Digest& tree) {
    const Layer layer{tree, "it"};
    return store().stage({&layer, 1}, StageMode::read_only);
  }
};

}  // namespace

TEST_F(Damage, a_sound_store_is_clean) {
  commit_artifact("app", "content");
  const auto report = must(store().verify());
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.records, 1U);
  EXPECT_EQ(report.objects, 4U);  // file, directory, recipe, log
}

TEST_F(Damage, flipped_content_is_found_by_verify_and_becomes_a_miss) {
  const auto artifact = commit_artifact("app", "content");
  const auto untouched = commit_artifact("untouched", "other");
  damage(digest_of("content"), "CONTENT");  // the same size
  const auto report = must(store().verify());
  EXPECT_EQ(report.damaged, std::vector<std::string>{digest_of("content").hex()});
  EXPECT_EQ(report.broken, std::vector<Key>{artifact.key});
  EXPECT_FALSE(must(store().lookup(artifact.key)));
  EXPECT_TRUE(must(store().lookup(untouched.key)));
  EXPECT_TRUE(must(store().verify()).clean());
  commit_artifact("app", "content");  // built again
  EXPECT_EQ(must(store().read_blob(digest_of("content"))), "content");
}

TEST_F(Damage, a_wrong_size_is_noticed_when_it_is_staged) {
  const auto artifact = commit_artifact("app", "content");
  damage(digest_of("content"), "cont");
  const auto staged = try_stage(artifact.record.output);
  ASSERT_FALSE(staged);
  EXPECT_EQ(staged.error().reason, Reason::not_found);
  EXPECT_FALSE(must(store().lookup(artifact.key)));
}

TEST_F(Damage, wrong_bytes_are_never_read) {
  const auto artifact = commit_artifact("app", "content");
  damage(artifact.record.log, "LOG app");
  EXPECT_EQ(store().read_blob(artifact.record.log).error().reason, Reason::not_found);
  EXPECT_FALSE(fs::exists(object(artifact.record.log)));
  EXPECT_FALSE(must(store().lookup(artifact.key)));
}

TEST_F(Damage, a_staged_tree_with_a_damaged_inode_is_not_used_again) {
  const auto artifact = commit_artifact("app", "content");
  const auto before = stage(artifact.record.output);
  damage(digest_of("content"), "CONTENT");  // the staged file is the same inode
  EXPECT_FALSE(must(store().verify()).clean());
  commit_artifact("app", "content");
  const auto after = stage(artifact.record.output);
  EXPECT_NE(after.path(), before.path());
  EXPECT_EQ(read_file(fs::path(after.path()) / "file"), "content");
}

TEST_F(Damage, artifacts_that_were_built_with_a_damaged_one_are_dropped_too) {
  for (const bool verify : {false, true}) {
    const auto lib = commit_artifact("lib", "content");
    const auto app = commit_artifact("app of " + lib.record.output.hex(), "app");
    const auto image = commit_artifact("image of " + app.record.output.hex(), "image");
    const auto other = commit_artifact("other", "other");
    flip(object(digest_of("content")));
    if (verify) {
      const auto report = must(store().verify());
      EXPECT_EQ(report.broken, std::vector<Key>{lib.key});
      EXPECT_EQ(std::set<std::string>({report.dependents.at(0).hex(), report.dependents.at(1).hex()}),
                std::set<std::string>({app.key.hex(), image.key.hex()}));
    } else {
      EXPECT_FALSE(store().checkout(lib.record.output, here() / "out"));
    }
    for (const auto* gone : {&lib, &app, &image})
      EXPECT_FALSE(must(store().lookup(gone->key))) << gone->record.label;
    EXPECT_TRUE(must(store().lookup(other.key)));
    EXPECT_TRUE(must(store().verify()).clean());
  }
}

TEST_F(Damage, an_object_with_the_same_size_and_mtime_is_not_checked_out) {
  const auto artifact = commit_artifact("app", "content");
  flip(object(digest_of("content")));
  const auto done = store().checkout(artifact.record.output, here() / "out");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().reason, Reason::not_found);
  EXPECT_FALSE(fs::exists(here() / "out/file"));
  expect_miss(artifact);
}

TEST_F(Damage, an_object_with_the_same_size_and_mtime_is_not_opened) {
  const auto artifact = commit_artifact("app", "content");
  flip(object(digest_of("content")));
  EXPECT_FALSE(store().open_blob(digest_of("content")));
  expect_miss(artifact);
}

TEST_F(Damage, an_object_with_the_same_size_and_mtime_is_not_staged) {
  const auto artifact = commit_artifact("app", "content");
  flip(object(digest_of("content")));
  EXPECT_FALSE(try_stage(artifact.record.output));
  expect_miss(artifact);
}

TEST_F(Damage, an_object_that_was_changed_after_it_was_staged_is_not_linked_into_another_stage) {
  const auto artifact = commit_artifact("app", "content");
  write_file(here() / "both/file", "content");
  write_file(here() / "both/more", "more");
  const auto both = must(store().import(here() / "both")).tree;
  ASSERT_TRUE(try_stage(artifact.record.output));
  reopen();
  flip(object(digest_of("content")));
  EXPECT_FALSE(try_stage(both));
  expect_miss(artifact);
}

TEST_F(Damage, the_executable_inode_is_not_made_of_a_damaged_one) {
  const auto artifact = commit_artifact("app", "content");
  flip(object(digest_of("content")));
  Directory directory;
  directory.files.push_back({"tool", digest_of("content"), true});
  EXPECT_FALSE(try_stage(must(store().put_directory(directory))));
  expect_miss(artifact);
}

TEST_F(Damage, the_mode_of_a_staged_file_is_that_of_the_tree) {
  const auto artifact = commit_artifact("app", "content");
  const fs::path before = stage(artifact.record.output).path();
  reopen();
  ::chmod((before / "file").c_str(), 0604);
  const fs::path after = stage(artifact.record.output).path();
  EXPECT_EQ(stat_of(after / "file").st_mode & 07777, 0444U);
  EXPECT_EQ(stat_of(object(digest_of("content"))).st_mode & 07777, 0444U);
}

TEST_F(Damage, modes_and_times_that_a_job_may_have_seen_are_damage_of_its_stage) {
  write_file(here() / "in/app/sub/deep", "deep");
  const auto artifact = commit_artifact("app", "content");
  const std::vector<std::function<void(const fs::path&)>> accidents{
      [](const fs::path& stage) { ::chmod((stage / "file").c_str(), 0); },
      [](const fs::path& stage) { ::chmod((stage / "file").c_str(), 0555); },
      [](const fs::path& stage) { ::chmod((stage / "sub").c_str(), 0700); },
      [](const fs::path& stage) { ::chmod(stage.c_str(), 0711); },
      [](const fs::path& stage) { write_file(stage / "sub/new", ""), fs::remove(stage / "sub/new"); }};
  for (const auto& accident : accidents) {
    const auto used = stage(artifact.record.output);
    must(store().check_stage(used));
    accident(used.path());
    // Others who need the same file do not hide what has happened to this one.
    write_file(here() / "in/other/file", "content");
    write_file(here() / "in/other/more", "more");
    stage(must(store().import(here() / "in/other")).tree);
    EXPECT_FALSE(store().check_stage(used));
    const auto again = stage(artifact.record.output);
    must(store().check_stage(again));
    EXPECT_EQ(read_file(fs::path(again.path()) / "file"), "content");
  }
}

TEST_F(Damage, a_stage_of_the_same_name_is_not_the_one_that_was_used) {
  const auto artifact = commit_artifact("app", "content");
  const auto used = stage(artifact.record.output);
  fs::rename(used.path(), here() / "moved");
  fs::copy(here() / "moved", used.path());
  EXPECT_FALSE(store().check_stage(used));
}

TEST_F(Damage, stages_have_the_same_modes_whatever_the_umask_is) {
  write_file(here() / "in/app/sub/deep", "deep");
  const auto artifact = commit_artifact("app", "content");
  const auto before = ::umask(0077);
  const auto made = stage(artifact.record.output);
  ::umask(before);
  for (const auto* name : {"", "sub"})
    EXPECT_EQ(stat_of(fs::path(made.path()) / name).st_mode & 07777, 0755U) << name;
  must(store().check_stage(made));
}

TEST_F(Damage, what_was_built_with_an_artifact_that_is_dropped_meanwhile_is_not_kept) {
  const auto lib = commit_artifact("lib", "content");
  write_file(here() / "in/app/file", "made of content");
  const auto output = must(store().import(here() / "in/app")).tree;
  const ArtifactRecord app{output,
                           must(store().put_blob("{\"output\":\"" + lib.record.output.text() + "\"}")),
                           must(store().put_blob("log")), "app"};
  flip(object(digest_of("content")));
  EXPECT_FALSE(store().open_blob(digest_of("content")));
  EXPECT_FALSE(store().commit(Key::of("app"), app));
  const auto again = commit_artifact("lib", "content");  // built once more
  EXPECT_EQ(again.record.output, lib.record.output);
  EXPECT_TRUE(store().commit(Key::of("app"), app));
}

TEST_F(Damage, a_blob_that_may_be_gone_is_no_damage) {
  const auto artifact = commit_artifact("app", "content");
  const auto stamp = whole_stamp(store_path());
  const auto used = stage(artifact.record.output);
  EXPECT_FALSE(store().read_blob(digest_of("never there"), Store::Missing::is_expected));
  EXPECT_FALSE(store().import(here() / "not/there"));
  EXPECT_FALSE(store().has_met_damage());
  EXPECT_FALSE(store().read_blob(digest_of("never there")));
  EXPECT_TRUE(store().has_met_damage());
  EXPECT_EQ(whole_stamp(store_path()), stamp) << "all that the store has is whole";
}

// There may be no memory for so much.
TEST_F(Damage, files_of_the_store_that_grew_out_of_bounds_are_damaged) {
  const auto artifact = commit_artifact("app", "content");
  reopen();
  for (const auto* name : {"verified", "checksums", "epoch", "generation", "boot"})
    if (const auto path = here() / "store" / name; fs::exists(path)) fs::resize_file(path, 1LL << 40);
  for (const auto& index : fs::directory_iterator(here() / "store/stat")) fs::resize_file(index, 1LL << 40);
  reopen();
  EXPECT_TRUE(must(store().lookup(artifact.key)));
  for (const bool verify_first : {false, true}) {
    commit_artifact("app", "content");
    fs::resize_file(here() / "store/records" / artifact.key.hex(), 1LL << 40);
    if (verify_first) {
      EXPECT_EQ(must(store().verify()).broken, std::vector<Key>{artifact.key});
    }
    EXPECT_FALSE(must(store().lookup(artifact.key)));
  }
}

TEST_F(Damage, an_object_that_grew_out_of_bounds_is_dropped_without_reading_it) {
  Options after_boot;
  after_boot.boot_id = "another boot";
  for (const bool recovers : {false, true}) {
    const auto artifact = commit_artifact("app", "content");
    fs::permissions(object(digest_of("content")), fs::perms::owner_all);
    fs::resize_file(object(digest_of("content")), 1LL << 40);
    if (recovers) reopen(after_boot);
    const auto report = must(store().verify());
    EXPECT_EQ(report.broken, std::vector<Key>{artifact.key});
    expect_miss(artifact);
    fs::remove_all(here() / "store/stat");  // a new process with the same sources
    fs::create_directory(here() / "store/stat");
  }
}

TEST_F(Damage, a_record_that_its_owner_may_not_read_is_a_miss) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  for (const bool verify_first : {false, true}) {
    const auto artifact = commit_artifact("app", "content");
    fs::permissions(here() / "store/records" / artifact.key.hex(), fs::perms::none);
    if (verify_first) {
      EXPECT_EQ(must(store().verify()).broken, std::vector<Key>{artifact.key});
    }
    EXPECT_FALSE(must(store().lookup(artifact.key)));
  }
}

TEST_F(Damage, an_import_replaces_an_object_whose_mtime_has_moved) {
  commit_artifact("app", "content");
  damage(digest_of("content"), "CONTENT");
  write_file(here() / "other/file", "content");
  const auto tree = must(store().import(here() / "other")).tree;
  EXPECT_EQ(read_file(fs::path(stage(tree).path()) / "file"), "content");
}

TEST_F(Damage, a_kept_stage_that_differs_from_its_tree_is_made_again) {
  write_file(here() / "in/app/sub/other", "other");
  fs::create_symlink("file", here() / "in/app/link");
  const auto artifact = commit_artifact("app", "content");
  const std::vector<std::function<void(const fs::path&)>> accidents{
      [](const fs::path& path) { fs::remove(path / "file"); },
      [](const fs::path& path) { write_file(path / "new", "new"); },
      [](const fs::path& path) {
        fs::remove(path / "file");
        write_file(path / "file", "CONTENT");
      },
      [](const fs::path& path) {
        fs::remove(path / "link");
        fs::create_symlink("fila", path / "link");
      },
      [](const fs::path& path) {
        fs::remove(path / "file");
        ASSERT_EQ(::mkfifo((path / "file").c_str(), 0644), 0);
      },
      [](const fs::path& path) { fs::remove_all(path / "sub"); }};
  for (std::size_t i = 0; i < accidents.size(); ++i) {
    for (const bool verify_first : {false, true}) {
      reopen();
      const fs::path before = stage(artifact.record.output).path();
      accidents[i](before);
      reopen();
      if (verify_first) {
        const auto report = must(store().verify());
        EXPECT_EQ(report.damaged_stages, std::vector<std::string>{artifact.record.output.hex()}) << i;
        EXPECT_FALSE(report.clean());
        EXPECT_TRUE(must(store().verify()).clean());
      }
      const fs::path after = stage(artifact.record.output).path();
      EXPECT_NE(after, before) << i;
      EXPECT_EQ(read_file(after / "file") + read_file(after / "sub/other"), "contentother") << i;
      EXPECT_EQ(fs::read_symlink(after / "link"), "file") << i;
      EXPECT_FALSE(fs::exists(after / "new")) << i;
    }
  }
}

TEST_F(Damage, a_kept_stage_with_a_changed_inode_is_not_used) {
  const auto artifact = commit_artifact("app", "content");
  const fs::path before = stage(artifact.record.output).path();
  reopen();
  flip(before / "file");
  EXPECT_FALSE(try_stage(artifact.record.output));
  expect_miss(artifact);
}

TEST_F(Damage, a_whole_stage_is_used_again_by_the_next_process) {
  const auto artifact = commit_artifact("app", "content");
  const auto before = stage(artifact.record.output).path();
  reopen();
  EXPECT_EQ(stage(artifact.record.output).path(), before);
}

TEST_F(Damage, other_types_of_files_in_the_place_of_an_object_are_damage) {
  for (const auto& accident : kOtherTypes) {
    for (const bool verify_first : {false, true}) {
      const auto artifact = commit_artifact("app", "content");
      const auto path = object(digest_of("content"));
      fs::remove(path);
      accident(path);
      if (verify_first) {
        EXPECT_FALSE(must(store().verify()).clean());
      }
      EXPECT_FALSE(store().read_blob(digest_of("content")));
      EXPECT_FALSE(fs::exists(fs::symlink_status(path)));
      EXPECT_FALSE(must(store().lookup(artifact.key)));
      fs::remove_all(here() / "store/stat");  // a new process with the same sources
      fs::create_directory(here() / "store/stat");
    }
  }
}

TEST_F(Damage, other_types_of_files_in_the_place_of_a_record_are_a_miss) {
  for (const auto& accident : kOtherTypes) {
    for (const bool verify_first : {false, true}) {
      const auto artifact = commit_artifact("app", "content");
      const auto path = here() / "store/records" / artifact.key.hex();
      fs::remove(path);
      accident(path);
      if (verify_first) {
        EXPECT_EQ(must(store().verify()).broken, std::vector<Key>{artifact.key});
      }
      EXPECT_FALSE(must(store().lookup(artifact.key)));
      EXPECT_FALSE(fs::exists(fs::symlink_status(path)));
    }
  }
}

TEST_F(Damage, a_missing_object_breaks_its_record) {
  const auto artifact = commit_artifact("app", "content");
  fs::remove(object(digest_of("content")));
  EXPECT_EQ(must(store().verify()).broken, std::vector<Key>{artifact.key});
}

TEST_F(Damage, a_missing_object_that_is_met_on_the_way_breaks_its_record) {
  for (const auto* lost : {"file", "directory"}) {
    write_file(here() / "in/app/sub/deep", "deep");
    const auto artifact = commit_artifact("app", "content");
    const auto root = must(store().read_tree(artifact.record.output)).root;
    const std::string name = lost;
    fs::remove(object(name == "file" ? digest_of("content") : root.directories.at(0).digest));
    fs::remove_all(here() / "out");
    EXPECT_FALSE(store().checkout(artifact.record.output, here() / "out"));
    EXPECT_FALSE(must(store().lookup(artifact.key))) << lost;
    EXPECT_TRUE(store().has_met_damage());
    fs::remove_all(here() / "store/stat");  // a new process with the same sources
    fs::create_directory(here() / "store/stat");
  }
}

// With the checksum that was learnt at the import, with a damaged file of checksums, and with a wrong entry.
TEST_F(Damage, a_large_object_is_verified_by_its_checksum_or_its_digest) {
  std::string large(3 << 20, 'x');
  const auto artifact = commit_artifact("app", large);
  for (const auto* checksums : {"learnt", "damaged", "wrong"}) {
    reopen();
    const auto file = here() / "store/checksums";
    ASSERT_TRUE(fs::exists(file));
    if (checksums == std::string("damaged")) flip(file);
    if (checksums == std::string("wrong")) write_wrong_checksum(digest_of(large));
    fs::remove_all(here() / "out");
    must(store().checkout(artifact.record.output, here() / "out"));
    EXPECT_EQ(read_file(here() / "out/file"), large) << checksums;
    EXPECT_TRUE(store().open_blob(digest_of(large))) << checksums;
  }
  flip(object(digest_of(large)));
  fs::remove_all(here() / "out");
  EXPECT_FALSE(store().checkout(artifact.record.output, here() / "out"));
  EXPECT_FALSE(must(store().lookup(artifact.key)));
}

TEST_F(Damage, an_import_heals_a_truncated_object) {
  write_file(here() / "in/a", "content");
  const auto tree = must(store().import(here() / "in")).tree;
  damage(digest_of("content"), "");
  EXPECT_EQ(must(store().import(here() / "in")).tree, tree);
  EXPECT_EQ(must(store().read_blob(digest_of("content"))), "content");
}

}  // namespace weir::store::test
