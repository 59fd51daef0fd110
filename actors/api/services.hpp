// SPDX-License-Identifier: Apache-2.0
// What the GATEWAY's services share: one request under way, and the means to answer it. Private to
// the GATEWAY; runs on its thread.
#pragma once

#include <google/protobuf/message_lite.h>

#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "actors/api/gateway.hpp"
#include "actors/caf_error.hpp"
#include "messages/codec/shape_table.hpp"
#include "messages/codec/submit/submit_codec.hpp"

namespace argosy::actors {

using gateway_self = frame_handler_actor::base*;

/// One request and where its answer goes. Copies share the request; answer it once.
class call {
 public:
  call(gateway_self self, bus_actor bus, native::frame_ptr frame)
      : self_(self), bus_(std::move(bus)), frame_(std::move(frame)) {}

  void reply(const google::protobuf::MessageLite& message, const bus::headers& with = {}) const;
  void fail(error err) const;
  void fail(ec code, std::string detail) const { fail(error{code, std::move(detail)}); }
  void fail_with(const caf::error& err) const { fail(from_caf(err)); }

  [[nodiscard]] const bus::frame& frame() const noexcept { return *frame_; }
  /// A header of the request; empty if it has none.
  [[nodiscard]] std::string header(std::string_view name) const {
    return std::string{frame_->headers.get(name).value_or("")};
  }
  /// Who asks. Without authentication everybody is "anonymous".
  [[nodiscard]] std::string principal() const { return "anonymous"; }

 private:
  gateway_self self_;
  bus_actor bus_;
  native::frame_ptr frame_;
};

/// The state of the GATEWAY.
struct services {
  services(gateway_self self, gateway_config config);

  /// Sends a request to another actor. `then` takes its answer; an error answers the call.
  template <class Handle, class Then, class... Args>
  void ask(const call& from, const Handle& to, Then then, Args&&... args) {
    self->request(to, config.request_timeout, std::forward<Args>(args)...)
        .then(std::move(then), [from](const caf::error& err) { from.fail_with(err); });
  }

  /// Finds the QUEUE, or answers the call with ec::not_found.
  template <class Then>
  void with_queue(const call& from, const std::string& queue, Then then) {
    ask(from, config.root, std::move(then), atom::find_v, queue);
  }

  /// Finds the job, or answers the call with ec::not_found or ec::invalid_argument. `then` takes
  /// its record.
  template <class Then>
  void with_job(const call& from, const std::string& job_id, bool with_spec, Then then) {
    const auto id = parse_ulid(job_id);
    if (!id) {
      from.fail(id.error());
      return;
    }
    ask(
        from, config.reader,
        [from, id = *id, then = std::move(then)](const native::job_page_ptr& page) {
          if (page->jobs.empty())
            from.fail(ec::not_found, "job " + to_string(id) + " does not exist");
          else
            then(page->jobs.front());
        },
        atom::query_v, native::get_jobs{{*id}, with_spec});
  }

  gateway_self self;
  gateway_config config;
  seeded_random random;
  ulid_factory ids{random};
  codec::submit_decoder decoder;
  std::map<native::job_set_key, feed_actor> feeds;
  std::uint64_t next_watch = 1;
  /// Shared by all open watches, and so counting them.
  std::shared_ptr<const char> watch_token = std::make_shared<const char>('w');
  std::int64_t started_ns = 0;
};

using method = std::function<void(services&, const call&)>;
using method_table = std::map<std::string, method>;

/// A method whose request is decoded first.
template <class Request, class Handler>
method decoded(Handler handler) {
  return [handler](services& all, const call& from) {
    Request request;
    if (request.ParseFromString(from.frame().data))
      handler(all, from, request);
    else
      from.fail(ec::invalid_argument,
                "the request does not decode as " + std::string{request.GetTypeName()});
  };
}

// Each adds the methods of one service under "Service.Method".
void add_submit_service(method_table& table);
void add_queue_service(method_table& table);
void add_event_service(method_table& table);
void add_jobs_service(method_table& table);
void add_query_service(method_table& table);
/// Query.ListNodes, ListClusters and ListPools, which the query service adds.
void add_cluster_lists(method_table& table);
/// Query.DescribeJob, which the query service adds.
void add_describe_methods(method_table& table);
void add_logs_service(method_table& table);
void add_trace_service(method_table& table);

}  // namespace argosy::actors
