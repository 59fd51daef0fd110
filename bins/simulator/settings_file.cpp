// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/settings_file.hpp"

#include <string>

namespace argosy::sim {

native::round_settings_ptr settings_file::rounds() const {
  auto rules = scheduling::default_config();
  rules.protected_fraction = version_ % 2 == 0 ? 0.5 : 1.0;
  rules.max_lookback = version_ % 3 == 0 ? 1'000 : 100'000;
  auto out = std::make_shared<native::round_settings>();
  out->common = std::make_shared<const scheduling::config>(std::move(rules));
  out->version = version_;
  return out;
}

namespace {

class read_file final : public native::settings_source {
 public:
  explicit read_file(const settings_file& from) : from_(from), running_(from.version()) {}

  result<native::new_settings> look(const native::settings_change_request& request) override {
    if (request.wish != native::settings_wish::reload)
      return fail(ec::invalid_argument, "only the file changes these settings");
    native::new_settings out;
    out.rounds = from_.rounds();
    found_ = out.rounds->version;
    out.outcome.version_before = running_;
    out.outcome.version = found_;
    if (found_ != running_)
      out.outcome.changed.push_back(
          {"scheduling", std::to_string(running_), std::to_string(found_)});
    out.text = std::to_string(found_);
    return out;
  }
  native::first_settings first(const std::string&) const override {
    native::first_settings out;
    out.version = running_;
    out.text = std::to_string(running_);
    return out;
  }
  void take() override { running_ = found_; }
  native::settings_listing list() const override {
    native::settings_listing out;
    out.version = running_;
    return out;
  }

 private:
  const settings_file& from_;
  std::uint64_t running_;
  std::uint64_t found_ = 0;
};

}  // namespace

std::shared_ptr<native::settings_source> read_settings(const settings_file& from) {
  return std::make_shared<read_file>(from);
}

}  // namespace argosy::sim
