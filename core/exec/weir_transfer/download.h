// The verb `download`: from a URL or a local path to a file, by way of the folder of downloads (`parts`),
// which keeps
//   part-<SHA-256 of the URL>  what came before a cut (part_file.h)
//   sha256-<digest>            what came whole when its digest was not known yet; the next download with that
//   digest takes
//                              it, without any network, and it is gone from there
// With a digest the target appears only if the bytes have it; else nothing of them is kept.
#pragma once

#include <string>

#include "core/exec/weir_transfer/place.h"

namespace weir::transfer {

struct DownloadOrder {
  std::string url;  // http:, https:, file: or an absolute path
  Place to;
  std::string parts;
  std::string sha256;  // 64 lower-case digits, or empty: the digest is told on standard output
  bool executable = false;
};

Done download(const DownloadOrder& order);

}  // namespace weir::transfer
