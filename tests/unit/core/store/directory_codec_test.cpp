#include "core/store/directory_codec.h"

#include <cstdlib>

#include "core/store/proto_wire.h"
#include "tests/unit/core/store/store_fixture.h"

namespace weir::store {

namespace {

using test::must;
using test::read_file;
using test::write_file;

// Messages and field numbers of the public Remote Execution API v2, as far as the store uses them.
constexpr const char* kProto = R"(syntax = "proto3";
message Digest { string hash = 1; int64 size_bytes = 2; }
message FileNode { string name = 1; Digest digest = 2; bool is_executable = 4; }
message DirectoryNode { string name = 1; Digest digest = 2; }
message SymlinkNode { string name = 1; string target = 2; }
message Directory { repeated FileNode files = 1; repeated DirectoryNode directories = 2; repeated SymlinkNode symlinks = 3; }
message Tree { Directory root = 1; repeated Directory children = 2; }
)";

Directory sample() {
  Directory directory;
  directory.files = {
      {"z", digest_of(""), false}, {"a", digest_of("abc"), true}, {"\xc3\xa4", digest_of("x"), false}};
  directory.directories = {{"sub", digest_of("y")}, {"empty", digest_of("")}};
  directory.symlinks = {{"link", "../z"}, {"abs", "/etc/passwd"}};
  return directory;
}

std::string text_of(const Directory& directory, const std::string& indent) {
  std::string text;
  const auto digest = [](const Digest& d) {
    return "digest { hash: \"" + d.hex() + "\" size_bytes: " + std::to_string(d.size) + " }";
  };
  for (const auto& file : directory.files)
    text += indent + "files { name: \"" + file.name + "\" " + digest(file.digest) +
            (file.executable ? " is_executable: true }\n" : " }\n");
  for (const auto& child : directory.directories)
    text += indent + "directories { name: \"" + child.name + "\" " + digest(child.digest) + " }\n";
  for (const auto& symlink : directory.symlinks)
    text += indent + "symlinks { name: \"" + symlink.name + "\" target: \"" + symlink.target + "\" }\n";
  return text;
}

class Protoc : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("protoc --version >/dev/null 2>&1") != 0)
      GTEST_SKIP()
          << "protoc is not installed (package protobuf-compiler), so there is nothing to compare with";
    write_file(here() / "reapi.proto", kProto);
  }
  const test::fs::path& here() const { return directory_.path(); }
  std::string run(const std::string& option, const std::string& input) {
    write_file(here() / "input", input);
    const auto command =
        "cd " + here().string() + " && protoc " + option + " reapi.proto <input >output 2>errors";
    EXPECT_EQ(std::system(command.c_str()), 0) << read_file(here() / "errors");
    return read_file(here() / "output");
  }

 private:
  test::TemporaryDirectory directory_;
};

std::string digest_bytes(const std::string& hex) {
  std::string out;
  proto::put_bytes(out, 1, hex);
  return out;
}

std::string file_node(std::string_view name) {
  std::string out;
  proto::put_bytes(out, 1, name);
  proto::put_bytes(out, 2, digest_bytes(digest_of("").hex()));
  return out;
}

std::string files(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& name : names) proto::put_bytes(out, 1, file_node(name));
  return out;
}

}  // namespace

TEST_F(Protoc, encodes_a_directory_to_the_same_bytes) {
  auto directory = sample();
  const auto bytes = encode(directory);  // sorts
  EXPECT_EQ(run("--encode=Directory", text_of(directory, "")), bytes);
}

TEST_F(Protoc, decodes_our_bytes_to_the_same_directory) {
  auto directory = sample();
  const auto bytes = encode(directory);
  const auto text = run("--decode=Directory", bytes);
  EXPECT_EQ(run("--encode=Directory", text), bytes);
  EXPECT_NE(text.find("target: \"/etc/passwd\""), std::string::npos);
  EXPECT_NE(text.find("is_executable: true"), std::string::npos);
}

TEST_F(Protoc, encodes_a_tree_to_the_same_bytes) {
  Tree tree{sample(), {sample(), {}}};
  const auto bytes = encode(tree);
  const auto text = "root {\n" + text_of(tree.root, "  ") + "}\nchildren {\n" +
                    text_of(tree.children[0], "  ") + "}\nchildren {\n}\n";
  EXPECT_EQ(run("--encode=Tree", text), bytes);
  EXPECT_EQ(must(decode_tree(run("--encode=Tree", text))), tree);
}

TEST(directory_codec, survives_a_round_trip) {
  auto directory = sample();
  const auto bytes = encode(directory);
  EXPECT_EQ(must(decode_directory(bytes)), directory);
  EXPECT_EQ(must(decode_directory("")), Directory{});
}

TEST(directory_codec, does_not_depend_on_the_order_of_entries) {
  auto one = sample();
  auto other = sample();
  std::reverse(other.files.begin(), other.files.end());
  std::reverse(other.symlinks.begin(), other.symlinks.end());
  EXPECT_EQ(encode(one), encode(other));
}

TEST(directory_codec, refuses_names_that_would_leave_the_directory) {
  using namespace std::string_literals;
  for (const auto& name : {""s, "."s, ".."s, "a/b"s, "/"s, "nul\0byte"s})
    EXPECT_FALSE(decode_directory(files({name}))) << name;
  EXPECT_TRUE(decode_directory(files({"..."})));
}

TEST(directory_codec, refuses_unsorted_and_repeated_names) {
  EXPECT_TRUE(decode_directory(files({"a", "b"})));
  EXPECT_FALSE(decode_directory(files({"b", "a"})));
  EXPECT_FALSE(decode_directory(files({"a", "a"})));
  std::string link;
  proto::put_bytes(link, 1, "a");
  proto::put_bytes(link, 2, "target");
  auto bytes = files({"a"});
  proto::put_bytes(bytes, 3, link);  // the same name as a file and as a symlink
  EXPECT_FALSE(decode_directory(bytes));
}

TEST(directory_codec, refuses_bytes_that_are_not_canonical) {
  std::string unknown = files({"a"});
  proto::put_number(unknown, 9, 1);
  EXPECT_FALSE(decode_directory(unknown));
  std::string node = file_node("a");
  proto::put_varint(node, 4 << 3);  // is_executable: false, written out
  node.push_back('\0');
  std::string bytes;
  proto::put_bytes(bytes, 1, node);
  EXPECT_FALSE(decode_directory(bytes));
}

TEST(directory_codec, never_crashes_on_damaged_bytes) {
  auto directory = sample();
  const auto good = encode(directory);
  Random random(7);
  for (std::size_t size = 0; size < good.size(); ++size) (void)decode_directory(good.substr(0, size));
  for (int i = 0; i < 20'000; ++i) {
    auto bytes = good;
    for (auto flips = 1 + random.below(3); flips-- > 0;)
      bytes[random.below(bytes.size())] = static_cast<char>(random.next());
    auto decoded = decode_directory(bytes);
    EXPECT_TRUE(!decoded || encode(*decoded) == bytes);  // what is taken is canonical
    (void)decode_tree(bytes);
  }
}

}  // namespace weir::store
