#include "core/report/wait_text.h"

#include <fmt/format.h>

namespace weir {

std::string wait_text(const RunPicture::Wait& wait) {
  auto text = fmt::format("{} {} waits for {}", wait.queue, wait.element, wait.what);
  if (!wait.name.empty()) text += " " + wait.name;
  if (wait.need && wait.free) text += fmt::format(": it needs {}, {} {} free", *wait.need, *wait.free, *wait.free == 1 ? "is" : "are");
  return text;
}

}  // namespace weir
