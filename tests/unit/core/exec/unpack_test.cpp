// weir-transfer unpack. Every archive that is refused is refused as a whole: nothing of it is left.
#include <fmt/format.h>
#include <locale.h>
#include <sys/stat.h>

#include "tests/unit/core/exec/archive_maker.h"
#include "tests/unit/core/exec/transfer_fixture.h"

namespace weir {
namespace {

namespace fs = std::filesystem;

class Unpack : public TransferTest {
 protected:
  std::string path() const { return folder_ / "archive"; }
  TransferExit unpack(int strip = 0) {
    return run({"unpack", "--from", path(), "--to", folder_ / "out", "--strip", std::to_string(strip)});
  }
  // Into a folder that is not there yet, and into one that has a file already.
  void expect_refused(std::string_view words, int strip = 0) {
    EXPECT_EQ(unpack(strip), TransferExit::source) << output_;
    EXPECT_TRUE(says(words)) << output_;
    EXPECT_FALSE(fs::exists(folder_ / "out"));
    folder_.write("out/mine", "mine");
    EXPECT_EQ(unpack(strip), TransferExit::source) << output_;
    EXPECT_EQ(names_in("out"), std::vector<std::string>{"mine"});
    EXPECT_EQ(folder_.read("out/mine"), "mine");
    fs::remove_all(folder_ / "out");
    EXPECT_FALSE(fs::exists(folder_ / "escaped"));
  }
  fs::perms mode_of(const std::string& name) const {
    return fs::status(folder_ / ("out/" + name)).permissions();
  }
};

TEST_F(Unpack, a_tree_comes_out_with_plain_modes) {
  ArchiveMaker(path())
      .folder("a", 0500)
      .file("a/plain", "1", 0400)
      .file("a/tool", "2", 04711)
      .symlink("a/link", "plain")
      .hardlink("b/second", "a/plain")
      .folder("a", 0700)
      .file("./c", "3")
      .done();
  ASSERT_EQ(unpack(), TransferExit::done) << output_;
  EXPECT_EQ(names_in("out"), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(folder_.read("out/a/link"), "1");
  EXPECT_EQ(folder_.read("out/b/second"), "1");
  EXPECT_EQ(mode_of("a"), fs::perms(0755));
  EXPECT_EQ(mode_of("a/plain"), fs::perms(0644));
  EXPECT_EQ(mode_of("a/tool"), fs::perms(0755));
}

TEST_F(Unpack, all_compressions_of_tar_are_known) {
  for (const char* filter : {"gzip", "bzip2", "xz", "lzma", "zstd", "lz4", "lzip", "compress"}) {
    ArchiveMaker(path(), "pax", filter).file("x", "content").done();
    EXPECT_EQ(unpack(), TransferExit::done) << filter << output_;
    EXPECT_EQ(folder_.read("out/x"), "content") << filter;
    fs::remove_all(folder_ / "out");
  }
}

TEST_F(Unpack, other_formats_are_known) {
  for (const char* format : {"zip", "7zip", "newc", "odc", "ustar", "pax", "xar", "iso9660"}) {
    ArchiveMaker(path(), format).folder("d").file("d/tool", "content", 0755).done();
    EXPECT_EQ(unpack(), TransferExit::done) << format << output_;
    EXPECT_EQ(folder_.read("out/d/tool"), "content") << format;
    fs::remove_all(folder_ / "out");
  }
}

TEST_F(Unpack, names_are_the_bytes_of_the_archive) {
  const std::string composed = "\xc3\xa9", decomposed = "e\xcc\x81";
  ArchiveMaker(path(), "gnutar")
      .file(composed, "1")
      .file(decomposed, "2")
      .symlink("link", composed)
      .hardlink("hard", decomposed)
      .done();
  EXPECT_EQ(unpack(), TransferExit::done) << output_;
  EXPECT_EQ(folder_.read("out/" + composed), "1");
  EXPECT_EQ(folder_.read("out/" + decomposed), "2");
  EXPECT_EQ(folder_.read("out/link"), "1");
  EXPECT_EQ(folder_.read("out/hard"), "2");
}

// As GNU tar and Python write them: names in a header of their own, said to be UTF-8.
TEST_F(Unpack, names_of_pax_and_zip_need_no_locale) {
  const std::string name = "\xc3\xa9";
  std::string record = "12 path=" + name + "\n";
  record[0] = '1';
  record[1] = '1';
  ASSERT_EQ(record.size(), 11U);
  const auto block = [](const std::string& file, char type, std::size_t size) {
    std::string head(512, '\0');
    head.replace(0, file.size(), file);
    head.replace(100, 7, "0000644");
    head.replace(124, 11, fmt::format("{:011o}", size));
    head[156] = type;
    head.replace(257, 8,
                 std::string("ustar\0"
                             "00",
                             8));
    head.replace(148, 8, "        ");
    unsigned sum = 0;
    for (const unsigned char byte : head) sum += byte;
    head.replace(148, 7, fmt::format("{:06o}", sum) + '\0');
    return head;
  };
  const auto padded = [](std::string data) { return data + std::string(512 - data.size(), '\0'); };
  folder_.write("archive", block("PaxHeader", 'x', record.size()) + padded(record) + block("ascii", '0', 1) +
                               padded("1") + std::string(1024, '\0'));
  EXPECT_EQ(unpack(), TransferExit::done) << output_;
  EXPECT_EQ(folder_.read("out/" + name), "1");
  fs::remove_all(folder_ / "out");
  ::setlocale(LC_CTYPE, "C.UTF-8");  // for the writer
  ArchiveMaker(path(), "zip", nullptr, "hdrcharset=UTF-8").file(name, "2").done();
  ::setlocale(LC_CTYPE, "C");
  EXPECT_EQ(unpack(), TransferExit::done) << output_;
  EXPECT_EQ(folder_.read("out/" + name), "2");
}

// GNU cpio writes the bytes of a file with two names behind the last one.
TEST_F(Unpack, the_last_name_of_a_file_in_cpio_brings_its_bytes) {
  const auto entry = [](const std::string& name, unsigned inode, unsigned mode, const std::string& data) {
    auto text =
        fmt::format("070701{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}{:08X}",
                    inode, mode, 0, 0, 2, 0, data.size(), 0, 0, 0, 0, name.size() + 1, 0);
    text += name + '\0';
    text.resize((text.size() + 3) / 4 * 4);
    text += data;
    text.resize((text.size() + 3) / 4 * 4);
    return text;
  };
  folder_.write("archive", entry("a", 7, 0100644, "") + entry("b", 7, 0100644, "content") +
                               entry("TRAILER!!!", 0, 0, ""));
  EXPECT_EQ(unpack(), TransferExit::done) << output_;
  EXPECT_EQ(folder_.read("out/a"), "content");
  EXPECT_EQ(folder_.read("out/b"), "content");
}

TEST_F(Unpack, strip_drops_leading_parts) {
  ArchiveMaker(path())
      .folder("./")
      .folder("./top")
      .file("./top/a", "1")
      .symlink("./top/d/link", "../a")
      .file("./README", "2")
      .done();
  EXPECT_EQ(unpack(1), TransferExit::done) << output_;
  EXPECT_EQ(names_in("out"), (std::vector<std::string>{"a", "d"}));
  EXPECT_EQ(folder_.read("out/d/link"), "1");
  EXPECT_NE(output_.find("left out 1"), std::string::npos) << output_;
}

TEST_F(Unpack, a_strip_that_leaves_nothing_is_told_with_one_that_works) {
  ArchiveMaker(path()).folder("top").folder("top/src").file("top/src/a").file("top/src/b").done();
  expect_refused("at its top is 'top'; strip = 2 would work", 3);
  ArchiveMaker(path()).file("a").file("b").done();
  expect_refused("at its top is 'a', 'b'; strip = 0 would work", 1);
}

TEST_F(Unpack, hostile_names_are_refused) {
  for (const auto* name : {"../escaped", "a/../../escaped", "a/..", "..", "bad\xff", "bad\xc0\xaf"}) {
    ArchiveMaker(path()).file("good").file(name).done();
    expect_refused(name[0] == 'b' ? "not UTF-8" : "'..'");
  }
  ArchiveMaker(path()).file("good").file("/" + folder_ / "escaped").done();
  expect_refused("absolute");
  ArchiveMaker(path()).file(".").done();
  expect_refused("no name of its own");
}

TEST_F(Unpack, links_that_lead_out_are_refused) {
  for (const auto* target : {"/etc/passwd", "..", "../escaped", "a/../../escaped", "./../escaped", ""}) {
    ArchiveMaker(path(), "pax").file("good").symlink("link", target).done();
    expect_refused("'link'");
  }
  ArchiveMaker(path()).symlink("top/a/link", "../../other").done();
  EXPECT_EQ(unpack(), TransferExit::done) << output_;
  fs::remove_all(folder_ / "out");
  expect_refused("leads out", 1);
}

// Each stays inside by its words alone: d/x is the root, so d/x/.. is above it.
TEST_F(Unpack, links_that_lead_out_by_other_links_are_refused) {
  ArchiveMaker(path()).folder("d").symlink("d/x", "..").symlink("way", "d/x/..").done();
  expect_refused("by way of other links");
}

TEST_F(Unpack, nothing_passes_through_a_link) {
  ArchiveMaker(path()).folder("real").symlink("link", "real").file("link/file").done();
  expect_refused("passes through a symlink");
  ArchiveMaker(path()).folder("real").symlink("link", "real").file("link").done();
  expect_refused("comes twice");
  ArchiveMaker(path()).folder("real").symlink("link", "real").folder("link").done();
  expect_refused("comes twice");
  ArchiveMaker(path()).file("real/f").symlink("link", "real").hardlink("hard", "link/f").done();
  expect_refused("no file that came before");
}

TEST_F(Unpack, hardlinks_need_a_file_that_came_before) {
  folder_.write("secret", "secret");
  for (const auto& target : {std::string("later"), folder_ / "secret", std::string("../secret"),
                             std::string("folder"), std::string("link")}) {
    ArchiveMaker(path())
        .folder("folder")
        .symlink("link", "folder")
        .hardlink("hard", target)
        .file("later")
        .done();
    expect_refused("'hard'");
  }
  ArchiveMaker(path()).file("top").hardlink("d/hard", "top").done();
  expect_refused("not unpacked", 1);
}

TEST_F(Unpack, devices_pipes_and_sockets_are_refused) {
  for (const auto type : {AE_IFCHR, AE_IFBLK, AE_IFIFO}) {
    ArchiveMaker(path(), "pax").file("good").special("special", static_cast<unsigned>(type)).done();
    expect_refused("'special' is a device");
  }
  ArchiveMaker(path(), "newc").file("good").special("special", AE_IFSOCK).done();
  expect_refused("'special' is a device");
}

TEST_F(Unpack, what_comes_twice_is_refused) {
  ArchiveMaker(path()).file("a", "1").file("./a", "2").done();
  expect_refused("comes twice");
  ArchiveMaker(path()).file("d/a").file("d").done();
  expect_refused("comes twice");
  ArchiveMaker(path()).file("d").folder("d").done();
  expect_refused("comes twice");
  ArchiveMaker(path()).file("d").file("d/a").done();
  expect_refused("no folder");
}

TEST_F(Unpack, what_is_there_already_is_not_replaced) {
  ArchiveMaker(path()).file("a", "new").file("mine", "new").done();
  folder_.write("out/mine", "old");
  EXPECT_EQ(unpack(), TransferExit::source);
  EXPECT_TRUE(says("'mine' is already in")) << output_;
  EXPECT_EQ(names_in("out"), std::vector<std::string>{"mine"});
  EXPECT_EQ(folder_.read("out/mine"), "old");
}

TEST_F(Unpack, depth_and_length_have_limits) {
  const auto deep = [](int levels) {
    std::string name;
    for (int i = 0; i < levels; ++i) name += "d/";
    return name + "f";
  };
  ArchiveMaker(path()).file(deep(255), "deep").done();
  EXPECT_EQ(unpack(), TransferExit::done) << output_;
  EXPECT_EQ(folder_.read("out/" + deep(255)), "deep");
  fs::remove_all(folder_ / "out");
  ArchiveMaker(path()).file(deep(256)).done();
  expect_refused("257 levels deep");
  ArchiveMaker(path()).file(deep(10'000)).done();
  expect_refused("bytes");
  ArchiveMaker(path()).file(std::string(256, 'x')).done();
  expect_refused("256 bytes");
}

TEST_F(Unpack, a_bomb_of_zeros_is_refused_while_it_opens) {
  ArchiveMaker(path(), "gnutar", "gzip", "compression-level=1").zeros("bomb", 100 << 20).done();
  ASSERT_LT(fs::file_size(path()), 2U << 20);
  expect_refused("'bomb' makes it a bomb");
}

TEST_F(Unpack, a_bomb_does_not_hide_where_strip_drops_it) {
  ArchiveMaker(path(), "gnutar", "zstd").zeros("bomb", 100 << 20).file("top/a").done();
  expect_refused("'bomb' makes it a bomb", 1);
}

TEST_F(Unpack, a_hole_counts_with_its_full_size) {
  ArchiveMaker(path(), "pax").hole("hole", 200 << 20).done();
  ASSERT_LT(fs::file_size(path()), 1U << 20);
  expect_refused("'hole' makes it a bomb");
  ArchiveMaker(path(), "pax").hole("hole", 3 << 20).done();
  EXPECT_EQ(unpack(), TransferExit::done) << output_;
  EXPECT_EQ(fs::file_size(folder_ / "out/hole"), 3U << 20);
}

TEST_F(Unpack, zeros_that_are_few_are_no_bomb) {
  ArchiveMaker(path(), "gnutar", "gzip").zeros("zeros", 10 << 20).done();
  EXPECT_EQ(unpack(), TransferExit::done) << output_;
  EXPECT_EQ(fs::file_size(folder_ / "out/zeros"), 10U << 20);
}

TEST_F(Unpack, what_is_cut_off_or_damaged_is_refused) {
  const std::pair<const char*, const char*> kinds[] = {
      {"pax", nullptr}, {"pax", "gzip"}, {"pax", "xz"}, {"pax", "zstd"}, {"zip", nullptr}};
  for (const auto& [format, filter] : kinds) {
    ArchiveMaker(path(), format, filter).file("a", noise(50'000)).file("b", noise(50'000, 2)).done();
    fs::resize_file(path(), fs::file_size(path()) * 2 / 3);
    expect_refused("archive");
  }
  // Of noise, which is kept as it is: only a checksum tells.
  const std::pair<const char*, const char*> with_checksums[] = {
      {"pax", "gzip"}, {"pax", "bzip2"}, {"pax", "xz"}, {"zip", nullptr}};
  for (const auto& [format, filter] : with_checksums) {
    ArchiveMaker(path(), format, filter).file("a", noise(50'000)).done();
    auto bytes = folder_.read("archive");
    bytes[20'000] ^= 1;
    folder_.write("archive", bytes);
    expect_refused("archive");
  }
}

TEST_F(Unpack, what_is_behind_a_gzip_archive_is_ignored) {
  ArchiveMaker(path(), "pax", "gzip").file("a", "1").done();
  for (const std::string& more : {std::string(1000, '\0'), std::string("garbage")}) {
    folder_.write("archive", folder_.read("archive") + more);
    EXPECT_EQ(unpack(), TransferExit::done) << output_;
    EXPECT_EQ(folder_.read("out/a"), "1");
    fs::remove_all(folder_ / "out");
  }
}

// A cut between two entries, or between two streams of a compression, looks like a clean end to libarchive.
TEST_F(Unpack, a_tar_that_ends_without_its_end_marker_is_refused) {
  ArchiveMaker(path(), "ustar").file("a", "1").file("b", noise(5'000)).done();
  const auto whole = folder_.read("archive");
  const std::size_t kFirst = 1024, kBoth = kFirst + 512 + 5'120;
  for (const auto size : {kFirst, kBoth}) {
    folder_.write("archive", whole.substr(0, size));
    expect_refused("cut off");
  }
  folder_.write("archive", whole.substr(0, kBoth + 512));  // some programs write one block of zeros only
  EXPECT_EQ(unpack(), TransferExit::done) << output_;
}

TEST_F(Unpack, a_cut_between_two_streams_of_a_compression_is_refused) {
  ArchiveMaker(path(), "ustar").file("a", "1").file("b", "2").done();
  const auto whole = folder_.read("archive");
  const auto gzipped = [&](const std::string& bytes) {
    folder_.write("part", bytes);
    Program program({"/usr/bin/gzip", "--force", folder_ / "part"}, {});
    EXPECT_EQ(program.wait(), 0) << program.text();
    return folder_.read("part.gz");
  };
  const auto first = gzipped(whole.substr(0, 1024));
  folder_.write("archive", first);
  expect_refused("cut off");
  folder_.write("archive", first + gzipped(whole.substr(1024)));
  EXPECT_EQ(unpack(), TransferExit::done) << output_;
  EXPECT_EQ(names_in("out"), (std::vector<std::string>{"a", "b"}));
}

// Without it libarchive reads a zip from its beginning: entries lose their modes, and links become files.
TEST_F(Unpack, a_zip_without_its_directory_is_refused) {
  ArchiveMaker(path(), "zip").file("tool", "content", 0755).symlink("link", "tool").done();
  const auto whole = folder_.read("archive");
  for (const std::size_t missing : {1, 10, 22, 40}) {
    folder_.write("archive", whole.substr(0, whole.size() - missing));
    expect_refused("archive");
  }
}

TEST_F(Unpack, what_is_no_archive_is_told) {
  for (const std::string& bytes : {std::string(), std::string("<html>not found</html>"), noise(5000),
                                   std::string("#mtree\nx type=file contents=/etc/passwd\n")}) {
    folder_.write("archive", bytes);
    expect_refused("is no archive");
  }
  ArchiveMaker(path()).done();
  expect_refused("is empty");
  fs::remove(path());
  expect_refused("No such file");
}

TEST_F(Unpack, encrypted_archives_are_refused) {
  ArchiveMaker(path(), "zip", nullptr, "encryption=zipcrypt").file("a", "secret").done();
  expect_refused("encrypted");
}

TEST_F(Unpack, what_a_killed_process_left_is_in_nobodys_way) {
  folder_.write("out/.weir-unpack~/d/leftover", "x");
  ArchiveMaker(path()).file("a", "1").done();
  EXPECT_EQ(unpack(), TransferExit::done) << output_;
  EXPECT_EQ(names_in("out"), std::vector<std::string>{"a"});
}

TEST_F(Unpack, a_link_leads_no_target_out_of_its_root) {
  ArchiveMaker(path()).file("a", "1").done();
  fs::create_directories(folder_ / "root");
  fs::create_directories(folder_ / "outside");
  fs::create_symlink(folder_ / "outside", folder_ / "root/link");
  Words list{"unpack",    "--from-root",    folder_.path(), "--from", "archive",
             "--to-root", folder_ / "root", "--to",         "link"};
  EXPECT_EQ(run(list), TransferExit::infra);
  list.back() = "link/deeper";
  EXPECT_EQ(run(list), TransferExit::infra);
  EXPECT_EQ(names_in("outside"), std::vector<std::string>());
  list.back() = ".";
  EXPECT_EQ(run(list), TransferExit::done) << output_;
  EXPECT_EQ(folder_.read("root/a"), "1");
}

}  // namespace
}  // namespace weir
