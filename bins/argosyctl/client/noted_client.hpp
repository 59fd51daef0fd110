// SPDX-License-Identifier: Apache-2.0
// This client hands every call on, and notes whether the server has carried out one that changes
// something. When a verb cannot tell its result, the user learns from the note that he must not
// simply type it again.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "bins/argosyctl/client/client.hpp"
#include "messages/codec/audit/audited_methods.hpp"
#include "runtime/bus/headers.hpp"

namespace argosy::ctl {

class noted_client final : public client {
 public:
  /// Sets `changed`, which answers on another thread may use after the client is gone.
  noted_client(std::shared_ptr<client> inner, std::shared_ptr<std::atomic<bool>> changed)
      : inner_(std::move(inner)), changed_(std::move(changed)) {}

  result<reply> exchange(std::string_view method, std::string request, repeatable again,
                         const header_list& with) override {
    return noted(method, with, inner_->exchange(method, std::move(request), again, with));
  }
  result<reply> exchange_unless(const std::function<bool()>& stop, std::string_view method,
                                std::string request, repeatable again,
                                const header_list& with) override {
    return noted(method, with,
                 inner_->exchange_unless(stop, method, std::move(request), again, with));
  }
  result<reply> repeat(const std::function<bool()>& stop, std::string_view method,
                       std::string request, const header_list& with,
                       std::chrono::milliseconds spent) override {
    return noted(method, with, inner_->repeat(stop, method, std::move(request), with, spent));
  }
  void start_exchange(std::string_view method, std::string request, repeatable again,
                      const header_list& with, full_answer done) override {
    if (!codec::may_change(method, mode_of(with)))
      return inner_->start_exchange(method, std::move(request), again, with, std::move(done));
    inner_->start_exchange(method, std::move(request), again, with,
                           [changed = changed_, done = std::move(done)](result<reply> got) {
                             if (got) *changed = true;
                             done(std::move(got));
                           });
  }
  result<std::unique_ptr<stream_reader>> open(std::string_view method,
                                              std::string request) override {
    return inner_->open(method, std::move(request));
  }
  std::size_t request_size_max() const override { return inner_->request_size_max(); }
  std::string server() const override { return inner_->server(); }

 private:
  /// Returns what is asked for besides the method, see codec::may_change().
  static std::string_view mode_of(const header_list& with) {
    for (const auto& [name, value] : with)
      if (name == bus::header::mode) return value;
    return {};
  }
  result<reply> noted(std::string_view method, const header_list& with, result<reply> got) {
    if (got && codec::may_change(method, mode_of(with))) *changed_ = true;
    return got;
  }

  std::shared_ptr<client> inner_;
  std::shared_ptr<std::atomic<bool>> changed_;
};

}  // namespace argosy::ctl
