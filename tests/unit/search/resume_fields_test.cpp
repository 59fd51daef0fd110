// SPDX-License-Identifier: Apache-2.0
// Goal: no request has a number or a token with which somebody goes on later that is taken for one
// of another history, and no answer tells such a number without its history. Method: the fields of
// all requests and answers are walked by their descriptors, and each whose name says that it may be
// one is checked or stands here with the reason; tables for the check itself.
#include "messages/codec/api/resume_fields.hpp"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "messages/codec/api/method_list.hpp"
#include "messages/proto/argosy/explain.pb.h"
#include "messages/proto/argosy/settings.pb.h"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::codec {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;
using ::testing::EndsWith;

/// Fields with a name like those, by which nobody goes on in a history.
const std::map<std::string, std::string> other{
    {"FindJobsRequest.skip", "Armada's page counts jobs from the first, and names none"},
    {"GroupJobsRequest.skip", "it counts groups from the first, and names none"},
    {"JobSetRequest.from_message_id", "an id of an event has its history: codec::event_id"},
    {"WatchRequest.from_id", "an id of an event has its history: codec::event_id"},
};

/// Answers with a number of a round, a change or a place that nobody goes on with.
const std::map<std::string, std::string> told_only{
    {"GetControlPlaneResponse.epoch", "tells whether another one leads by now"},
    {"GetControlPlaneResponse.position", "for people"},
    {"HandOverResponse.epoch", "as that of GetControlPlaneResponse"},
    {"GetVersionResponse.epoch", "for people; no request takes it"},
    {"GetVersionResponse.position", "for people; its event_id is for those who go on"},
};

const std::set<std::string> words{"change",   "cursor",   "epoch",  "from",      "generation",
                                  "mark",     "number",   "offset", "operation", "page",
                                  "position", "revision", "round",  "sequence",  "skip",
                                  "token",    "version"};
const std::set<std::string> told_words{"change",   "epoch", "generation", "offset",
                                       "position", "round", "sequence",   "token"};

bool sounds_like_one(const FieldDescriptor& field, const std::set<std::string>& words) {
  // The number of a pod of a job is part of its name, and times are of the machine's clock.
  if (field.name() == "pod_number" || field.name().ends_with("_ns")) return false;
  std::string word;
  for (const char c : field.name() + "_") {
    if (c != '_') {
      word += c;
      continue;
    }
    if (words.contains(word)) return true;
    word.clear();
  }
  return false;
}

/// Visits the fields of the type and of all messages in it that are not of Kubernetes.
void walk(const Descriptor& type, std::set<const Descriptor*>& seen,
          const std::function<void(const FieldDescriptor&)>& visit) {
  if (type.full_name().starts_with("k8s.") || !seen.insert(&type).second) return;
  for (int i = 0; i < type.field_count(); ++i) {
    visit(*type.field(i));
    if (const auto* below = type.field(i)->message_type()) walk(*below, seen, visit);
  }
}

std::string name_of(const FieldDescriptor& field) {
  return field.containing_type()->name() + "." + field.name();
}

/// The types of all requests, or of all answers.
std::set<const Descriptor*> types(bool of_requests) {
  std::set<const Descriptor*> out;
  for (const auto& method : api_methods()) {
    const auto path = method.path.substr(1);
    const auto* service =
        DescriptorPool::generated_pool()->FindServiceByName(path.substr(0, path.find('/')));
    const auto* one = service->FindMethodByName(path.substr(path.find('/') + 1));
    out.insert(of_requests ? one->input_type() : one->output_type());
  }
  return out;
}

bool has_row(const std::string& name) {
  return std::ranges::any_of(resume_fields(), [&](const auto& row) { return row.field == name; });
}

TEST(resume_fields, of_all_requests_are_checked_or_have_a_reason) {
  std::set<std::string> unused;
  for (const auto& [name, why] : other) unused.insert(name);
  std::set<const Descriptor*> seen;
  for (const auto* type : types(true))
    walk(*type, seen, [&](const FieldDescriptor& field) {
      const auto name = name_of(field);
      unused.erase(name);
      // call::reply() gives cursors and marks, and decoded() checks them.
      const bool checked = field.name() == "cursor" || field.name() == "mark" || has_row(name);
      EXPECT_TRUE(checked || other.contains(name) || !sounds_like_one(field, words))
          << name << " is neither checked nor here with a reason";
    });
  for (const auto& row : resume_fields()) {
    const std::string message{row.field.substr(0, row.field.find('.'))};
    const auto has = std::ranges::any_of(seen, [&](const Descriptor* type) {
      return type->name() == message && type->FindFieldByName("mark") != nullptr &&
             type->FindFieldByName(std::string{row.field.substr(message.size() + 1)}) != nullptr;
    });
    EXPECT_TRUE(has) << row.field << " is of no request with a mark";
  }
  EXPECT_THAT(unused, ::testing::IsEmpty());
}

/// Cursors are only marked where a message has them itself.
TEST(resume_fields, stand_in_the_requests_themselves) {
  std::set<const Descriptor*> seen;
  const auto tops = types(true);
  for (const auto* type : tops)
    walk(*type, seen, [&](const FieldDescriptor& field) {
      if (field.name() == "cursor" || field.name() == "mark") {
        EXPECT_TRUE(tops.contains(field.containing_type())) << name_of(field);
      }
    });
}

TEST(resume_fields, of_all_answers_tell_their_history) {
  std::set<std::string> unused;
  for (const auto& [name, why] : told_only) unused.insert(name);
  for (const auto* type : types(false)) {
    if (type->FindFieldByName("mark") != nullptr) continue;
    std::set<const Descriptor*> seen;
    walk(*type, seen, [&](const FieldDescriptor& field) {
      const auto name = name_of(field);
      unused.erase(name);
      EXPECT_TRUE(told_only.contains(name) || !sounds_like_one(field, told_words))
          << name << " in " << type->name() << " is told without a mark, and not here";
    });
  }
  EXPECT_THAT(unused, ::testing::IsEmpty());
}

const model::lineage plain{{{{3}, 0x30}, {{7}, ~0ULL}}};
const model::lineage restored{{{{3}, 0x30}, {{7}, ~0ULL, true}}};

error refusal(const google::protobuf::Message& request, const model::lineage& history = plain) {
  const auto got = check_mark(request, history, {8});
  return got ? error{ec::none, {}} : got.error();
}

TEST(marks_of_requests, are_needed_by_what_a_program_has_kept) {
  v1::ReadLogRequest output;
  EXPECT_EQ(refusal(output, restored).code, ec::none) << "it begins at the beginning";
  output.set_offset(70);
  v1::ReadLogRequest pod;
  pod.set_position("here");
  v1::UpdateSettingsRequest change;
  change.set_expected_change(3);
  for (auto* request : std::initializer_list<google::protobuf::Message*>{&output, &pod, &change}) {
    const auto why = refusal(*request);
    EXPECT_EQ(why.code, ec::conflict) << request->ShortDebugString();
    EXPECT_THAT(why.detail, EndsWith("read again from the beginning"));
  }
  output.set_mark("8-ffffffffffffffff");
  EXPECT_EQ(refusal(output).code, ec::none);
  output.set_mark("6-0000000000000030");
  EXPECT_EQ(refusal(output).code, ec::none);
}

TEST(marks_of_requests, are_needed_by_the_number_of_a_round_once_it_may_be_of_another_history) {
  v1::ExplainJobRequest request;
  EXPECT_EQ(refusal(request, restored).code, ec::none) << "it asks for the last rounds";
  request.set_round(17);
  EXPECT_EQ(refusal(request).code, ec::none);
  const auto why = refusal(request, restored);
  EXPECT_EQ(why.code, ec::conflict);
  EXPECT_THAT(why.detail, EndsWith("read again from the beginning"));
  request.set_mark("8-ffffffffffffffff");
  EXPECT_EQ(refusal(request, restored).code, ec::none);
}

TEST(marks_of_requests, of_another_history_are_refused) {
  v1::ExplainJobRequest request;
  for (const bool with_number : {false, true})
    for (const auto* mark : {"6-0000000000000031", "7-0000000000000030", "9-ffffffffffffffff"}) {
      request.set_round(with_number ? 17 : 0);
      request.set_mark(mark);
      const auto why = refusal(request);
      EXPECT_EQ(why.code, ec::conflict) << mark;
      EXPECT_THAT(why.detail, EndsWith("read again from the beginning"));
    }
  request.set_mark("mine");
  EXPECT_EQ(refusal(request).code, ec::invalid_argument);
}

}  // namespace
}  // namespace argosy::codec
