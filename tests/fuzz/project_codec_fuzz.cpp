// Elements and the frame of a project as a snapshot keeps them.
#include "core/project/project_codec.h"

#include "tests/fuzz/fuzz_target.h"

namespace weir {

WEIR_FUZZ_TARGET(project_codec) {
  fuzz::Choices choices(input);
  const bool frame = choices.byte() % 2 == 1;
  const auto bytes = choices.rest();
  const FileOf same = [](FileId file) { return file; };
  const auto check = [&](const std::string& written, auto&& read) {
    WEIR_ASSERT(read(written), "its own bytes are refused");
  };
  if (frame) {
    Project project;
    if (!decode_frame(bytes, same, project)) return;
    check(encode_frame(project), [&](const std::string& written) {
      Project again;
      return decode_frame(written, same, again) && encode_frame(again) == written;
    });
  } else {
    Element element;
    if (!decode(bytes, same, element)) return;
    check(encode(element), [&](const std::string& written) {
      Element again;
      return decode(written, same, again) && encode(again) == written;
    });
  }
}

}  // namespace weir
