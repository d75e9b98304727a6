#include "core/cli/init_text.h"

#include <set>

#include "core/base/shell_word.h"
#include "core/base/utf8.h"
#include "core/cli/toml_text.h"
#include "core/project/load.h"
#include "core/project/read_element.h"

namespace weir::cli {
namespace {

// All bytes below 128, alone and together with what escapes are made of.
std::vector<std::string> odd_texts() {
  std::vector<std::string> texts = {"",       "\xc3\xbc", "%{x}", "%%{x}", "%{",
                                    "a\\\"b", "\\u0041",  "'''",  "\r\n"};
  for (char c = 1; c > 0; ++c) {
    texts.emplace_back(1, c);
    texts.push_back(std::string("x") + c + "\\");
    if (c == 127) break;
  }
  return texts;
}

TEST(TomlText, every_text_is_read_back_as_it_was) {
  for (const auto& text : odd_texts()) {
    const auto loaded =
        load_project_texts({{"weir.toml", "weir = 1\n[element.a]\nkind = \"stack\"\ndescription = " +
                                              toml_string(without_variables(text)) + "\n"}});
    ASSERT_TRUE(loaded.ok()) << text;
    EXPECT_EQ(loaded.project.elements.front().description, text);
  }
}

TEST(InitText, every_folder_gives_a_name_that_can_be_read) {
  auto texts = odd_texts();
  texts.insert(texts.end(), {"-a", "..", ".hidden", "a/b", "a  b", "---", "\xff\xfe", std::string(255, 'x'),
                             "x" + std::string(254, '\xc3')});
  for (const auto& text : texts) {
    FoundElement element;
    element.name = element_name_of(text);
    EXPECT_TRUE(is_element_name(element.name)) << text << " gives " << element.name;
    EXPECT_LE(element.name.size(), 150U);
    element.path = is_utf8(text) ? text : "x";
    element.kind = "make";
    const auto file = project_of("p", {element});
    const auto loaded = load_project_texts({{file.path, file.text}});
    ASSERT_TRUE(loaded.ok()) << file.text;
    EXPECT_EQ(loaded.project.elements.front().name, element.name);
  }
  EXPECT_EQ(element_name_of("My Project (2)"), "My-Project-2");
  EXPECT_EQ(element_name_of("zlib-1.2"), "zlib-1.2");
}

TEST(ShellWords, hold_no_variable_of_weir) {
  EXPECT_EQ(shell_word("a/b.c"), "a/b.c");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("%{jobs}"), "'%''{jobs}'");
}

}  // namespace
}  // namespace weir::cli
