#include "core/project/settings.h"

#include "tests/unit/core/project/project_fixture.h"

namespace weir {
namespace {

class SettingsTest : public testing::Test {
 protected:
  LoadedSettings load(std::vector<TextSetting> command_line = {}) {
    environment_["HOME"] = folder_.path();
    const auto lookup = [this](const char* name) -> const char* {
      const auto at = environment_.find(name);
      return at == environment_.end() ? nullptr : at->second.c_str();
    };
    return load_settings({&project_.project, std::move(command_line), lookup}, project_.files);
  }
  static std::string row(const LoadedSettings& loaded, std::string_view name) {
    for (const auto& r : describe(loaded.settings))
      if (r.name == name) return r.value + " from " + r.origin;
    return "";
  }
  void user(const std::string& text) { folder_.write(".config/weir/config.toml", text); }

  TemporaryFolder folder_;
  LoadedProject project_ = load_texts("");
  std::map<std::string, std::string> environment_{{"USER", "ann"}};
};

TEST_F(SettingsTest, nothing_set_is_built_in) {
  const auto loaded = load();
  EXPECT_TRUE(loaded.ok());
  EXPECT_EQ(row(loaded, "cache.dir"), folder_.path() + "/.cache/weir from built in");
  EXPECT_EQ(row(loaded, "resources.process"), "auto from built in");
  EXPECT_EQ(row(loaded, "resources.download"), "10 from built in");
  EXPECT_EQ(row(loaded, "requestor"), "ann from built in");
}

// It was once what stood for a home.
TEST_F(SettingsTest, without_a_home_nothing_is_looked_for_in_tmp) {
  struct FileOfSomebody {
    const std::filesystem::path path = "/tmp/.config/weir/config.toml";
    const bool is_ours = !std::filesystem::exists(path);
    FileOfSomebody() {
      std::filesystem::create_directories(path.parent_path());
      if (is_ours) std::ofstream(path) << "requestor = \"mallory\"\n";
    }
    ~FileOfSomebody() {
      std::error_code not_empty;
      if (is_ours) std::filesystem::remove(path, not_empty);
      std::filesystem::remove(path.parent_path(), not_empty);
      std::filesystem::remove(path.parent_path().parent_path(), not_empty);
    }
  };
  const FileOfSomebody file;
  const auto loaded = load_settings({nullptr, {}, [](const char*) -> const char* { return nullptr; }}, {});
  for (std::uint32_t i = 0; i < loaded.files.size(); ++i)
    EXPECT_NE(loaded.files[FileId{i}].path, file.path.string());
  EXPECT_NE(loaded.settings.cache_dir.value, "/tmp/.cache/weir");
}

TEST_F(SettingsTest, each_layer_lies_over_the_one_below_and_is_named) {
  const auto file = folder_.path() + "/.config/weir/config.toml";
  user("[resources]\nprocess = 1\n");
  EXPECT_EQ(row(load(), "resources.process"), "1 from user (" + file + ":2:11)");
  project_ = load_texts("[resources]\nprocess = 2\n");
  EXPECT_EQ(row(load(), "resources.process"), "2 from project (weir.toml:3:11)");
  environment_["WEIR_JOBS_MAX"] = "3";
  EXPECT_EQ(row(load(), "resources.process"), "3 from environment (WEIR_JOBS_MAX)");
  EXPECT_EQ(row(load({{"resources.process", "4", "-j 4"}}), "resources.process"),
            "4 from command line (-j 4)");
}

TEST_F(SettingsTest, remotes_come_from_the_highest_layer_that_names_any) {
  user("[[remotes]]\nurl = \"http://user\"\n");
  EXPECT_EQ(load().settings.remotes.value.at(0).url, "http://user");
  project_ = load_texts("[[remote]]\nurl = \"http://a\"\npush = true\n[[remote]]\nurl = \"http://b\"\n");
  EXPECT_EQ(load().settings.remotes.value.size(), 2u);
  const auto one = load({{"remotes", "http://a", "--remote http://a"}});
  ASSERT_EQ(one.settings.remotes.value.size(), 1u);
  EXPECT_EQ(one.settings.remotes.value[0].push, Push::yes) << "what the project says of it holds";
  EXPECT_TRUE(load({{"remotes", "none", "--no-remote"}}).settings.remotes.value.empty());
}

TEST_F(SettingsTest, bad_values_of_all_layers_are_told_and_leave_what_was_there) {
  user("[cache]\nquota = \"lots\"\ndri = \"x\"\n");
  environment_["WEIR_JOBS_MAX"] = "many";
  const auto loaded = load({{"on-error", "quiet", "--on-error quiet"}, {"resources.process", "0", "-j 0"}});
  const auto text = to_text(loaded.diagnostics, loaded.files);
  EXPECT_EQ(loaded.diagnostics.errors(), 5u) << text;
  for (const std::string part :
       {"config.toml:2:9: error: \"lots\" is no size", "did you mean \"dir\"?",
        "error: WEIR_JOBS_MAX: \"many\" is no number", "--on-error quiet: \"quiet\" is none of",
        "did you mean \"quit\"?", "-j 0: \"0\" is no number of tokens"})
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
  EXPECT_EQ(row(loaded, "resources.process"), "auto from built in");
}

TEST_F(SettingsTest, folders_of_the_environment_are_obeyed) {
  environment_["XDG_CACHE_HOME"] = "/c";
  EXPECT_EQ(row(load(), "cache.dir"), "/c/weir from built in");
  environment_["WEIR_CACHE_DIR"] = "/d/../e";
  EXPECT_EQ(row(load(), "cache.dir"), "/e from environment (WEIR_CACHE_DIR)");
  environment_["NO_COLOR"] = "1";
  EXPECT_EQ(row(load(), "ui.color"), "never from environment (NO_COLOR)");
}

}  // namespace
}  // namespace weir
