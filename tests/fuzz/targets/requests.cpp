// SPDX-License-Identifier: Apache-2.0
// Targets: what callers of the API send, in bytes of protobuf and in JSON.
#include <algorithm>
#include <array>

#include "messages/codec/api/queue_codec.hpp"
#include "messages/codec/api/request_weight.hpp"
#include "messages/codec/api/retry_codec.hpp"
#include "messages/codec/api/search_codec.hpp"
#include "messages/codec/audit/call_fields.hpp"
#include "messages/codec/number_ranges.hpp"
#include "messages/codec/pod_manifest_codec.hpp"
#include "messages/codec/process_plan_codec.hpp"
#include "messages/codec/rest/go_json.hpp"
#include "messages/codec/rest/lookout_calls.hpp"
#include "messages/codec/rest/rest_calls.hpp"
#include "messages/codec/wire.hpp"
#include "tests/fuzz/filled.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/unit/codec/submit_fixture.hpp"

namespace argosy::fuzz {
namespace {

using google::protobuf::Message;

/// Any request, as the gateway reads it, and as REST writes it.
bool take_request(std::string_view input) {
  const auto [which, bytes] = choose(input, request_types().size());
  const std::unique_ptr<Message> request{request_types()[which]->New()};
  const auto weight = codec::weight_of(bytes, *request, std::size_t{1} << 30);
  const auto read = codec::read_request(bytes, *request);
  if (!read) return refused(read.error());
  require(request->SpaceUsedLong() < 4 * weight + 4'000, "a request is heavier than was weighed");
  const auto json = codec::to_go_json(*request);
  const auto text = codec::go_json_text(*request);
  require(text == json.dump(-1, ' ', false, codec::go_json::error_handler_t::replace),
          "the text of a request is not its JSON");
  static_cast<void>(!codec::check_numbers(*request));
  return true;
}

std::vector<std::string> request_seeds() {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < request_types().size() && i < 256; ++i) {
    const std::unique_ptr<Message> request{request_types()[i]->New()};
    fill(*request, 3);
    out.push_back(with_choice(i, request->SerializeAsString()));
  }
  return out;
}

const registered requests{{.name = "requests",
                           .what = form::wire,
                           .choice_bytes = 1,
                           .take = take_request,
                           .seeds = request_seeds,
                           .inputs = 6'000}};

template <class Wire, class From, class To>
bool takes_value(std::string_view bytes, const From& from, const To& to) {
  Wire in;
  if (!codec::decode(bytes, in, "message")) return false;
  const auto value = from(in);
  if (!value) return refused(value.error());
  Wire out;
  to(*value, out);
  const auto again = from(out);
  require(again.has_value(), again ? "" : "a written value is refused: " + again.error().detail);
  Wire twice;
  to(*again, twice);
  require(codec::encode_sorted(twice) == codec::encode_sorted(out), "a value does not come back");
  return true;
}

bool take_queue(std::string_view input) {
  const auto [which, bytes] = choose(input, 4);
  const codec::search_context noon{100'000'000'000'000, "ann"};
  switch (which) {
    case 0:
      return takes_value<api::Queue>(
          bytes, [](const api::Queue& in) { return codec::from_wire(in); },
          [](const model::queue_settings& from, api::Queue& to) { codec::to_wire(from, to); });
    case 1:
      return takes_value<api::RetryPolicy>(
          bytes, [](const api::RetryPolicy& in) { return codec::from_wire(in); },
          [](const model::retry_policy& from, api::RetryPolicy& to) { codec::to_wire(from, to); });
    case 2: {
      v1::FindJobsRequest in;
      if (!codec::decode(bytes, in, "search")) return false;
      const auto query = codec::from_wire(in, noon);
      return query ? true : refused(query.error());
    }
    default: {
      v1::GroupJobsRequest in;
      if (!codec::decode(bytes, in, "groups")) return false;
      const auto query = codec::from_wire(in, noon);
      return query ? true : refused(query.error());
    }
  }
}

const registered values{{.name = "request_values",
                         .what = form::wire,
                         .choice_bytes = 1,
                         .take = take_queue,
                         .seeds =
                             [] {
                               api::Queue queue;
                               queue.set_name("research");
                               queue.set_priority_factor(2);
                               auto& subject = *queue.add_permissions()->add_subjects();
                               subject.set_kind("User");
                               subject.set_name("ann");
                               queue.mutable_permissions(0)->add_verbs("submit");
                               v1::FindJobsRequest search;
                               search.set_where("state:failed cpu>=8");
                               v1::GroupJobsRequest groups;
                               groups.set_where("queue:a");
                               groups.set_group_by("owner");
                               api::RetryPolicy policy;
                               policy.set_name("twice");
                               policy.set_retry_limit(2);
                               return std::vector{
                                   with_choice(0, queue.SerializeAsString()),
                                   with_choice(1, policy.SerializeAsString()),
                                   with_choice(2, search.SerializeAsString()),
                                   with_choice(3, groups.SerializeAsString()),
                                   with_choice(0, filled("api.Queue")),
                                   with_choice(1, filled("api.RetryPolicy")),
                                   with_choice(2, filled("argosy.v1.FindJobsRequest")),
                                   with_choice(3, filled("argosy.v1.GroupJobsRequest"))};
                             },
                         .inputs = 6'000}};

/// A submission, and what agents make of its jobs.
bool take_submission(std::string_view bytes) {
  codec::submit_bench bench;
  const auto made = bench.decoder.decode(bytes, bench.context);
  if (!made) return refused(made.error());
  const auto again = bench.decoder.decode(bytes, bench.context);
  require(again && again->jobs.size() == made->jobs.size(), "a repeated request is another one");
  for (std::size_t i = 0; i < made->jobs.size(); ++i) {
    const auto& header = *made->jobs[i];
    require(header.body_hash == again->jobs[i]->body_hash, "a repeated job has another hash");
    for (const auto& [name, amount] : header.shape->requests)
      require(amount >= 0 && amount <= model::request_max, "a request is out of range");
    model::start_run order;
    order.run = {header.id, 1};
    order.queue = header.queue;
    order.job_set = header.job_set;
    order.name_space = header.name_space;
    order.owner = header.owner;
    order.node = "n1";
    order.requests = header.shape->requests;
    order.spec = header.spec;
    for (const auto wanted : {model::plan_contents::whole, model::plan_contents::annotations})
      require(codec::decode_process_plan(order, wanted).has_value(), "there is no plan of a job");
    require(codec::make_job_manifests(order).has_value(), "there is no pod of a job");
  }
  return true;
}

const registered submissions{
    {.name = "submissions",
     .what = form::wire,
     .take = take_submission,
     .seeds =
         [] {
           auto gang = codec::valid_request(2);
           for (auto& item : *gang.mutable_job_request_items()) codec::make_gang(item, "g", "2");
           auto large = codec::valid_request();
           auto& item = *large.mutable_job_request_items(0);
           fill(*item.add_services(), 4);
           fill(*item.add_ingress(), 4);
           fill(*item.mutable_pod_spec()->mutable_affinity(), 2);
           fill(*item.mutable_pod_spec()->add_tolerations(), 4);
           fill(*item.mutable_pod_spec()->add_volumes(), 4);
           fill(*item.mutable_pod_spec()->mutable_containers(0)->add_env(), 4);
           return std::vector{codec::valid_request().SerializeAsString(), gang.SerializeAsString(),
                              large.SerializeAsString(),
                              filled("api.JobSubmitRequest").substr(0, 8'000)};
         },
     .inputs = 1'500,
     .memory_max = std::size_t{4} << 20}};

/// JSON for any request, and back.
bool take_json(std::string_view input) {
  const auto [which, text] = choose(input, request_types().size());
  const auto json = codec::parse_json(text);
  if (!json) return refused(json.error());
  const std::unique_ptr<Message> request{request_types()[which]->New()};
  const auto read = codec::read_go_json(*json, *request);
  if (!read) return refused(read.error());
  const auto written = codec::go_json_text(*request);
  const std::unique_ptr<Message> again{request_types()[which]->New()};
  const auto parsed = codec::parse_json(written);
  require(parsed.has_value(), "written JSON is none");
  const auto back = codec::read_go_json(*parsed, *again);
  require(back.has_value(), back ? "" : "written JSON is refused: " + back.error().detail);
  require(codec::encode_sorted(*request) == codec::encode_sorted(*again),
          "a request does not come back from JSON");
  return true;
}

const registered json_requests{
    {.name = "json_requests",
     .what = form::text,
     .choice_bytes = 1,
     .take = take_json,
     .seeds =
         [] {
           std::vector<std::string> out;
           for (std::size_t i = 0; i < request_types().size(); ++i) {
             const std::unique_ptr<Message> request{request_types()[i]->New()};
             fill(*request, 4);
             out.push_back(with_choice(i, codec::go_json_text(*request)));
           }
           return out;
         },
     .inputs = 5'000,
     .memory_max = std::size_t{2} << 20}};

std::vector<std::pair<std::string, std::string>> query_of(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> out;
  while (!text.empty()) {
    const auto end = std::min(text.find('&'), text.size());
    const auto equals = std::min(text.find('='), end);
    out.emplace_back(text.substr(0, equals),
                     text.substr(std::min(equals + 1, end), end - std::min(equals + 1, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// "VERB PATH?QUERY", and a body in the lines behind.
bool take_call(std::string_view input) {
  const auto line = input.substr(0, input.find('\n'));
  const auto body = input.substr(std::min(input.size(), line.size() + 1));
  const auto verb = line.substr(0, line.find(' '));
  const auto target = line.substr(std::min(line.size(), verb.size() + 1));
  const auto path = target.substr(0, target.find('?'));
  const auto query = query_of(target.substr(std::min(target.size(), path.size() + 1)));
  const auto lookout = codec::match_lookout(verb, path);
  if (lookout.call) {
    const auto bytes = lookout.call->request(body);
    return bytes ? true : refused(bytes.error());
  }
  const auto match = codec::match_route(verb, path);
  if (match.route == nullptr) return false;
  const auto bytes = codec::rest_request(match, body, query);
  static_cast<void>(!codec::rest_request(match, body, query, codec::unknown_fields::passed));
  if (!bytes) return refused(bytes.error());
  return true;
}

const registered rest_calls{
    {.name = "rest_calls",
     .what = form::text,
     .take = take_call,
     .seeds =
         [] {
           std::vector<std::string> out{
               R"(POST /api/v1/jobs
{"filters":[{"field":"queue","value":"a","match":"exact"},{"field":"cpu","value":"1",
"match":"greaterThan"}],"order":{"field":"jobId","direction":"ASC"},"take":10,"skip":1})",
               R"(POST /api/v1/jobGroups
{"filters":[],"groupedField":{"field":"queue"},"aggregates":["submitted",{"field":"state"}],
"order":{"field":"count","direction":"DESC"}})",
               "POST /api/v1/jobSpec\n{\"jobId\":\"01h455vb4pex5vsknk084sn02q\"}"};
           for (const auto& route : codec::rest_routes())
             out.push_back(route.verb + " " + route.pattern + "?limit=3&name=a\n" +
                           (route.verb == "POST" ? "{\"queue\": \"a\"}" : ""));
           return out;
         },
     .inputs = 8'000}};

}  // namespace
}  // namespace argosy::fuzz
