#include "core/store/digest_message.h"

#include "core/store/proto_wire.h"

namespace weir::store {

std::string encode_digest(const Digest& digest) {
  std::string out;
  proto::put_bytes(out, 1, digest.hex());
  proto::put_number(out, 2, digest.size);
  return out;
}

bool read_digest(std::string_view bytes, Digest& digest) {
  proto::Fields fields(bytes);
  bool hash_seen = false;
  for (proto::Field field; fields.next(field);) {
    if (field.number == 1) {
      const auto hash = parse_hex(field.bytes);
      if (!hash) return false;
      digest.hash = *hash;
      hash_seen = true;
    } else if (field.number == 2) {
      digest.size = field.value;
    }
  }
  return fields.ok() && hash_seen;
}

}  // namespace weir::store
