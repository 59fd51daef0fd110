// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/api/request_weight.hpp"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/message.h>
#include <google/protobuf/wire_format_lite.h>

#include <string>
#include <unordered_map>

namespace argosy::codec {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::internal::WireFormatLite;
using stream = google::protobuf::io::CodedInputStream;

/// Smaller requests are not counted: they could not take much.
constexpr std::size_t counted_from = std::size_t{64} << 10;
/// An element of a list, of a map, or of what is not known takes so much beside its value.
constexpr std::size_t place_bytes = 16;
constexpr std::size_t map_entry_bytes = 160;
constexpr std::size_t text_bytes = sizeof(std::string) + place_bytes;
constexpr std::size_t number_bytes = 8;
/// Protobuf reads nothing that is nested deeper.
constexpr int depth_max = 100;

class weigher {
 public:
  explicit weigher(std::size_t enough) : enough_(enough) {}

  /// Returns whether more is to be counted.
  bool add(stream& from, const Descriptor& type, int depth) {
    while (const auto tag = from.ReadTag()) {
      const auto* const field = type.FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag));
      if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
        sum_ += place_bytes;
        if (!WireFormatLite::SkipField(&from, tag)) return false;
      } else if (!add_piece(from, field, depth)) {
        return false;
      }
      if (sum_ > enough_) return false;
    }
    return true;
  }

  [[nodiscard]] std::size_t sum() const noexcept { return sum_; }

 private:
  bool add_piece(stream& from, const FieldDescriptor* field, int depth) {
    int size = 0;
    if (!from.ReadVarintSizeAsInt(&size)) return false;
    if (field == nullptr || field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
      const bool numbers = field != nullptr && field->is_packable();
      sum_ += text_bytes + static_cast<std::size_t>(size) * (numbers ? number_bytes : 1);
      return from.Skip(size);
    }
    sum_ += bytes_of(*field);
    if (depth == depth_max) return false;
    const auto before = from.PushLimit(size);
    if (!add(from, *field->message_type(), depth + 1)) return false;
    from.PopLimit(before);
    return true;
  }

  std::size_t bytes_of(const FieldDescriptor& field) {
    if (field.is_map()) return map_entry_bytes;
    auto& known = known_[field.message_type()];
    if (known == 0)
      known = place_bytes + google::protobuf::MessageFactory::generated_factory()
                                ->GetPrototype(field.message_type())
                                ->SpaceUsedLong();
    return known;
  }

  const std::size_t enough_;
  std::size_t sum_ = 0;
  std::unordered_map<const Descriptor*, std::size_t> known_;
};

}  // namespace

std::size_t weight_of(std::string_view bytes, const Message& type, std::size_t enough) {
  stream from{reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size())};
  weigher all{enough};
  static_cast<void>(all.add(from, *type.GetDescriptor(), 0));
  return all.sum();
}

bool is_heavier(std::string_view bytes, const Message& type, std::size_t most) {
  return bytes.size() >= counted_from && weight_of(bytes, type, most) > most;
}

result<void> check_weight(std::string_view bytes, const Message& type) {
  if (!is_heavier(bytes, type, request_memory_max)) return {};
  return fail(ec::invalid_argument, "the request has so many parts that it would take more than " +
                                        std::to_string(request_memory_max >> 20U) +
                                        " MiB of memory; send it in several requests");
}

result<void> read_request(std::string_view bytes, Message& into) {
  if (auto light = check_weight(bytes, into); !light) return light;
  if (into.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return {};
  return fail(ec::invalid_argument,
              "the request does not decode as " + std::string{into.GetTypeName()});
}

}  // namespace argosy::codec
