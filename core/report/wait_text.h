// Why a job waits, in words.
#pragma once

#include <string>

#include "core/report/run_picture.h"

namespace weir {

// "build app waits for token memory: it needs 4, 1 is free"
std::string wait_text(const RunPicture::Wait& wait);

}  // namespace weir
