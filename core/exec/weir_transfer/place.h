// A path of the command line. With a root it is relative to that and never leads out of it, whatever links an
// earlier step left behind; without one it is taken as it is.
#pragma once

#include <string>

#include "core/base/fd.h"
#include "core/exec/weir_transfer/trouble.h"

namespace weir::transfer {

struct Place {
  std::string root;
  std::string path;
};

// A name in an open directory: what is done there stays there even if a folder above is moved.
struct Spot {
  UniqueFd directory;
  std::string name;  // "." for the root itself
  std::string shown;
};

std::string shown(const Place& place);
// The folders above are made where they are missing.
Expected<Spot> make_way_to(const Place& place);
// A regular file, for reading. One that is not there is of class source.
Expected<UniqueFd> open_file(const Place& place);

}  // namespace weir::transfer
