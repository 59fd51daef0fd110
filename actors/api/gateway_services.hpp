// SPDX-License-Identifier: Apache-2.0
// The services of the API share this state of the GATEWAY and these ways to ask other actors. Both
// are private to the GATEWAY and used on its thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "actors/api/gateway.hpp"
#include "actors/call.hpp"
#include "actors/directory.hpp"
#include "messages/codec/api/request_weight.hpp"
#include "messages/codec/api/resume_fields.hpp"
#include "messages/codec/number_ranges.hpp"
#include "messages/codec/shape_table.hpp"
#include "messages/codec/submit/submit_codec.hpp"

namespace argosy::actors {

/// Remembers for some seconds what the EXPLAINER said of submitted jobs, by their kind, so that not
/// each submission costs a question. Equal shapes share one object.
class told_notes {
 public:
  using job_list = std::vector<std::shared_ptr<const model::job_header>>;
  /// A shape, namespace and owner.
  using kind = std::tuple<std::shared_ptr<const model::job_shape>, std::string, std::string>;

  /// Finds what was said of the kind of all these jobs. Returns nothing if the EXPLAINER has to be
  /// asked, as it always has of gangs, which have to fit as a whole.
  [[nodiscard]] std::optional<std::string> find(const job_list& jobs, boot_time now) const;
  void add(const job_list& jobs, const std::string& note, boot_time now);

 private:
  struct told {
    std::string note;
    boot_time at{};
  };
  std::map<kind, told> notes_;
};

/// The state of the GATEWAY.
struct gateway_services {
  gateway_services(gateway_self self, gateway_config config);

  /// Sends a request to another actor. `then` takes its answer; an error answers the call.
  template <class Handle, class Then, class... Args>
  void ask(const call& caller, const Handle& to, Then then, Args&&... args) {
    self->request(to, config.request_timeout, std::forward<Args>(args)...)
        .then(std::move(then), [caller](const caf::error& err) { caller.fail_with(err); });
  }

  /// Hands the QUEUE to `then` if the caller may do there what he asks for, and otherwise
  /// ec::denied or ec::not_found to `failed`. Only a caller without the permission for all queues
  /// costs a question to the QUEUE, which has the verbs. All methods that verbs allow have to find
  /// their queue by this.
  template <class Then, class Fail>
  void find_queue(const call& caller, const std::string& queue, Then then, Fail failed) {
    if (access::may(*caller.who(), caller.what())) {
      actors.find_queue(self, queue, std::move(then), std::move(failed));
      return;
    }
    actors.find_queue(
        self, queue,
        [this, caller, then = std::move(then), failed](const queue_actor& handle) mutable {
          self->request(handle, config.request_timeout, atom::allow_v, caller.who(),
                        static_cast<std::uint8_t>(caller.what()))
              .then([then = std::move(then), handle](atom::ok) mutable { then(handle); },
                    [failed](const caf::error& err) { failed(from_caf(err)); });
        },
        failed);
  }
  /// Does the same, and answers the call when that fails.
  template <class Then>
  void with_queue(const call& caller, const std::string& queue, Then then) {
    find_queue(caller, queue, std::move(then), [caller](const error& why) { caller.fail(why); });
  }
  /// Hands to `then` why the caller may not do `what` in the queue, or nothing if he may.
  void find_refusal(const call& caller, const std::string& queue, access::action what,
                    std::function<void(std::optional<error>)> then);
  /// Asks the QUEUEs of these jobs whether the caller sees the environment there, and hands to
  /// `then` the names of those where he does not see that of others' jobs. A queue that cannot be
  /// asked is among them.
  void find_hidden(const call& caller, const std::vector<model::job_record>& jobs,
                   std::function<void(const std::set<std::string>&)> then);
  /// The same for one queue: whether he sees only the environment of his own jobs there.
  void find_hidden(const call& caller, const std::string& queue, std::function<void(bool)> then);
  /// Whether a job of this owner is another's in the eyes of the caller. A caller who says no name
  /// owns no job, unless names come from NATS and there are none.
  [[nodiscard]] bool is_of_another(const call& caller, const std::string& owner) const;
  /// Tells AUDIT that the caller was shown the specifications of these jobs of others.
  void note_shown(const call& caller, const std::vector<ulid>& jobs) const;
  /// Makes the function that does so once, when it is called with another's name. It may be called
  /// on any thread. Null: there is no AUDIT.
  [[nodiscard]] std::function<void(const std::string&)> shown_noter(const call& caller,
                                                                    model::queue_name queue,
                                                                    std::string job_set) const;

  /// Hands the CLUSTER to `then`, or answers the call with ec::not_found.
  template <class Then>
  void with_cluster(const call& caller, const std::string& cluster, Then then) {
    actors.find_cluster(self, cluster, std::move(then),
                        [caller](const error& why) { caller.fail(why); });
  }

  /// Finds the job, or answers the call with ec::not_found or ec::invalid_argument. `then` takes
  /// its record.
  template <class Then>
  void with_job(const call& caller, const std::string& job_id, bool with_spec, Then then) {
    const auto id = parse_ulid(job_id);
    if (!id) {
      caller.fail(id.error());
      return;
    }
    ask(
        caller, config.reader,
        [caller, id = *id, then = std::move(then)](const native::job_page_ptr& page) {
          if (page->jobs.empty())
            caller.fail(ec::not_found, "job " + to_string(id) + " does not exist");
          else
            then(page->jobs.front());
        },
        atom::query_v, native::get_jobs{{*id}, with_spec});
  }

  /// The cursor as call::reply() was given it. Fails as codec::own_cursor() does.
  [[nodiscard]] result<std::string> own_cursor(const call& caller, const std::string& marked) const;
  /// Checks the mark of a request as codec::check_mark() does.
  [[nodiscard]] result<void> check_mark(const google::protobuf::Message& request) const;

  /// Takes a place for a question that takes long, or answers the call with ec::overloaded. Null:
  /// it was answered. The place is held until the call is answered.
  [[nodiscard]] std::optional<call> begin_slow(const call& caller);

  /// The id of a change that may take a while.
  [[nodiscard]] ulid new_operation() {
    return ids.make(static_cast<std::uint64_t>(to_nanos(config.clock->wall()) / 1'000'000));
  }

  gateway_self self;
  gateway_config config;
  std::shared_ptr<probes::gateway_probe> probe;
  directory actors;
  seeded_random random;
  ulid_factory ids{random};
  codec::submit_decoder decoder;
  std::map<native::job_set_key, feed_actor> feeds;
  std::uint64_t next_watch = 1;
  /// The open watches of all users.
  std::shared_ptr<border::shares> watches;
  std::int64_t started_ns = 0;

  /// The notes that submissions got lately.
  [[nodiscard]] told_notes& notes() { return notes_; }

 private:
  told_notes notes_;
};

/// Takes out of a job what this caller does not see. `hidden` has the queues where he sees only his
/// own jobs. Returns false if he does not see all of it.
[[nodiscard]] bool show(const call& caller, const std::set<std::string>& hidden,
                        const model::job_header& of, api::Job& shown);

using method = method_of<gateway_services>;
using method_table = method_table_of<gateway_services>;

/// Makes a method that decodes its request, and checks its numbers, before it calls the handler. A
/// cursor of another method, or of another history than this server's, is refused, and the handler
/// sees it without its mark; so are numbers with a mark, see codec::check_mark().
template <class Request, class Handler>
method decoded(Handler handler) {
  return [handler](gateway_services& gateway, const call& caller) {
    Request request;
    auto valid = codec::read_request(caller.frame().data, request);
    if (valid) valid = codec::check_numbers(request);
    if constexpr (codec::marked_message<Request>)
      if (valid) valid = gateway.check_mark(request);
    if (!valid) {
      caller.fail(valid.error());
      return;
    }
    if constexpr (paged_message<Request>) {
      if (!request.cursor().empty()) {
        auto own = gateway.own_cursor(caller, request.cursor());
        if (!own) {
          caller.fail(own.error());
          return;
        }
        request.set_cursor(std::move(*own));
      }
    }
    handler(gateway, caller, request);
  };
}

/// Adds Query.ListNodes, ListClusters and ListPools; the query service calls this.
void add_cluster_lists(method_table& table);
/// Adds Query.FindJobs and GroupJobs; the query service calls this.
void add_search_methods(method_table& table);
/// Adds Query.DescribeJob; the query service calls this.
void add_describe_methods(method_table& table);
/// Adds Explain.ExplainJobOnNode and ExplainNode; the explain service calls this.
void add_node_explanations(method_table& table);

/// The methods of all services.
[[nodiscard]] method_table all_methods();

}  // namespace argosy::actors
