// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "messages/codec/rest/go_json.hpp"
#include "runtime/base/text.hpp"

namespace argosy::codec {

namespace {

/// Builds the tree of a text. The library's own builder takes the last of several equal keys, and
/// its time grows with the square of their number.
class tree_builder final : public nlohmann::json_sax<go_json> {
 public:
  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return open(go_json::object()); }
  bool start_array(std::size_t /*size*/) override { return open(go_json::array()); }
  bool end_array() override { return close(); }
  bool end_object() override;
  bool key(string_t& name) override {
    key_ = std::move(name);
    return true;
  }
  bool parse_error(std::size_t at, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*why*/) override {
    return refuse("the body is not JSON, as its byte " + std::to_string(at) + " shows");
  }

  result<go_json> take() {
    if (!refusal_.empty()) return fail(ec::invalid_argument, std::move(refusal_));
    return std::move(root_);
  }

 private:
  bool put(go_json value) {
    add(std::move(value));
    return count(1);
  }
  bool count(std::size_t values) {
    values_ += values;
    return values_ <= json_values_max ||
           refuse(
               "the body has too many values for one request; send it in "
               "several requests");
  }
  /// Adds a value to the innermost list or object that is open.
  go_json& add(go_json value);
  bool open(go_json value);
  bool close() {
    open_.pop_back();
    return true;
  }
  bool refuse(std::string why) {
    if (refusal_.empty()) refusal_ = std::move(why);
    return false;
  }

  go_json root_;
  /// What is open, each inside the one before it, which does not move until the inner one is
  /// closed.
  std::vector<go_json*> open_;
  std::string key_;
  std::string refusal_;
  std::size_t values_ = 0;
};

go_json& tree_builder::add(go_json value) {
  if (open_.empty()) return root_ = std::move(value);
  auto& inside = *open_.back();
  if (inside.is_array()) {
    inside.push_back(std::move(value));
    return inside.back();
  }
  auto& members = inside.get_ref<go_json::object_t&>();
  members.emplace_back(std::move(key_), std::move(value));
  return members.back().second;
}

bool tree_builder::open(go_json value) {
  if (open_.size() == json_depth_max)
    return refuse("the body is nested deeper than " + std::to_string(json_depth_max) + " levels");
  auto& added = add(std::move(value));
  open_.push_back(&added);
  return count(4);
}

bool tree_builder::end_object() {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : open_.back()->get_ref<const go_json::object_t&>())
    names.emplace_back(name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end())
    return refuse("the body has '" + shown(std::string{*twice}) + "' twice in one object");
  return close();
}

}  // namespace

result<go_json> parse_json(std::string_view text) {
  tree_builder builder;
  go_json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

}  // namespace argosy::codec
