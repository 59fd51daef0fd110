// SPDX-License-Identifier: Apache-2.0
// Goal: the writer prints what json_util prints, byte by byte, for every kind of field. Method:
// messages of all types of the API, and of a made-up type with every kind of field, filled at
// random from fixed seeds; json_util reads them from bytes with sorted maps.
#include "bins/argosyctl/output/json_writer.hpp"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/timestamp.pb.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "bins/argosyctl/output/json.hpp"
#include "messages/proto/api/submit.pb.h"
#include "messages/proto/argosy/trace.pb.h"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::ctl {

namespace {

namespace pb = google::protobuf;
using pb::FieldDescriptor;

std::string from_json_util(const pb::Message& message, bool with_defaults) {
  std::string bytes;
  {
    pb::io::StringOutputStream stream{&bytes};
    pb::io::CodedOutputStream coded{&stream};
    coded.SetSerializationDeterministic(true);
    EXPECT_TRUE(message.SerializeToCodedStream(&coded));
  }
  const std::unique_ptr<pb::util::TypeResolver> types{
      pb::util::NewTypeResolverForDescriptorPool("test", message.GetDescriptor()->file()->pool())};
  pb::util::JsonPrintOptions options;
  options.always_print_primitive_fields = with_defaults;
  std::string out;
  const auto status = pb::util::BinaryToJsonString(
      types.get(), "test/" + message.GetDescriptor()->full_name(), bytes, &out, options);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return out;
}

std::string from_writer(const pb::Message& message, bool with_defaults) {
  json_writer writer;
  std::string out;
  writer.append(message,
                with_defaults ? json_writer::defaults::printed : json_writer::defaults::left_out,
                out);
  return out;
}

/// Expects equality, and shows only the place where the texts begin to differ.
void expect_equal(const std::string& written, const std::string& expected) {
  if (written == expected) return;
  const auto at = std::mismatch(written.begin(), written.end(), expected.begin(), expected.end());
  const auto from = std::max<std::ptrdiff_t>(0, at.first - written.begin() - 60);
  ADD_FAILURE() << written.substr(from, 160) << "\n" << expected.substr(from, 160);
}

void expect_same(const pb::Message& message) {
  expect_equal(from_writer(message, true), from_json_util(message, true));
  expect_equal(from_writer(message, false), from_json_util(message, false));
}

/// Fills messages with values that are hard to print.
class filler {
 public:
  explicit filler(unsigned seed) : random_(seed) {}

  void fill(pb::Message& message, int depth = 0) {
    if (message.GetDescriptor() == pb::Timestamp::descriptor()) return fill_time(message);
    const auto* type = message.GetDescriptor();
    for (int i = 0; i < type->field_count(); ++i) {
      const auto* field = type->field(i);
      const bool inner = field->message_type() != nullptr;
      if (below(inner && depth > 2 ? 8 : 3) == 0) continue;
      if (inner && depth > 5) continue;
      if (field->is_map())
        fill_map(message, field, depth);
      else if (field->is_repeated())
        for (auto n = below(3); n > 0; --n) add(message, field, depth);
      else
        set(message, field, depth);
    }
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  std::string text() {
    static const std::vector<std::string> pieces{
        "a", "plain text", "\"",   "\\", "<b>", "\n",     "\t\r",   "\x01\x1f",     "\x7f",  "\b\f",
        "é", "世界",       "🙂", "&'", "/",   "\u2028", "\u200b", "\u00ad\u0085", "\ufeff"};
    std::string out;
    for (auto n = below(4); n > 0; --n) out += pieces[below(pieces.size())];
    return out;
  }

  std::int64_t whole() {
    const std::vector<std::int64_t> edges{0,
                                          1,
                                          -1,
                                          2'147'483'647,
                                          -2'147'483'648,
                                          std::numeric_limits<std::int64_t>::max(),
                                          std::numeric_limits<std::int64_t>::min()};
    return below(2) == 0 ? edges[below(edges.size())] : static_cast<std::int64_t>(random_());
  }

  double real() {
    const std::vector<double> edges{0,
                                    -0.0,
                                    1,
                                    0.1,
                                    1e100,
                                    1e-7,
                                    123456789012345678.0,
                                    std::nan(""),
                                    std::numeric_limits<double>::infinity(),
                                    -std::numeric_limits<double>::infinity()};
    return below(2) == 0 ? edges[below(edges.size())]
                         : static_cast<double>(random_()) / static_cast<double>(1 + below(1'000));
  }

  void fill_time(pb::Message& message) {
    auto& time = static_cast<pb::Timestamp&>(message);
    const std::vector<std::int64_t> seconds{
        0, -1, 1'795'200'000, -62'135'596'800, 253'402'300'799, -86'400, 951'782'400};
    const std::vector<int> nanos{0, 1, 999'999'999, 120'000'000, 123'456'000, 5'000};
    time.set_seconds(seconds[below(seconds.size())]);
    time.set_nanos(nanos[below(nanos.size())]);
  }

  void set(pb::Message& m, const FieldDescriptor* f, int depth) {
    const auto& r = *m.GetReflection();
    switch (f->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return r.SetInt32(&m, f, static_cast<std::int32_t>(whole()));
      case FieldDescriptor::CPPTYPE_UINT32:
        return r.SetUInt32(&m, f, static_cast<std::uint32_t>(whole()));
      case FieldDescriptor::CPPTYPE_INT64:
        return r.SetInt64(&m, f, whole());
      case FieldDescriptor::CPPTYPE_UINT64:
        return r.SetUInt64(&m, f, static_cast<std::uint64_t>(whole()));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return r.SetDouble(&m, f, real());
      case FieldDescriptor::CPPTYPE_FLOAT:
        return r.SetFloat(&m, f, static_cast<float>(real()));
      case FieldDescriptor::CPPTYPE_BOOL:
        return r.SetBool(&m, f, below(2) == 0);
      case FieldDescriptor::CPPTYPE_ENUM:
        return r.SetEnumValue(&m, f, enumerator(f));
      case FieldDescriptor::CPPTYPE_STRING:
        return r.SetString(&m, f, text());
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return fill(*r.MutableMessage(&m, f), depth + 1);
    }
  }

  void add(pb::Message& m, const FieldDescriptor* f, int depth) {
    const auto& r = *m.GetReflection();
    switch (f->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return r.AddInt32(&m, f, static_cast<std::int32_t>(whole()));
      case FieldDescriptor::CPPTYPE_UINT32:
        return r.AddUInt32(&m, f, static_cast<std::uint32_t>(whole()));
      case FieldDescriptor::CPPTYPE_INT64:
        return r.AddInt64(&m, f, whole());
      case FieldDescriptor::CPPTYPE_UINT64:
        return r.AddUInt64(&m, f, static_cast<std::uint64_t>(whole()));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return r.AddDouble(&m, f, real());
      case FieldDescriptor::CPPTYPE_FLOAT:
        return r.AddFloat(&m, f, static_cast<float>(real()));
      case FieldDescriptor::CPPTYPE_BOOL:
        return r.AddBool(&m, f, below(2) == 0);
      case FieldDescriptor::CPPTYPE_ENUM:
        return r.AddEnumValue(&m, f, enumerator(f));
      case FieldDescriptor::CPPTYPE_STRING:
        return r.AddString(&m, f, text());
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return fill(*r.AddMessage(&m, f), depth + 1);
    }
  }

  int enumerator(const FieldDescriptor* f) {
    const auto* type = f->enum_type();
    if (f->file()->syntax() == pb::FileDescriptor::SYNTAX_PROTO3 && below(5) == 0) return 4'711;
    return type->value(static_cast<int>(below(type->value_count())))->number();
  }

  /// Keys must differ: later entries of the same key would win only in some places.
  void fill_map(pb::Message& m, const FieldDescriptor* f, int depth) {
    const auto* key = f->message_type()->map_key();
    auto count = below(4);
    if (key->cpp_type() == FieldDescriptor::CPPTYPE_BOOL) count = std::min<std::uint64_t>(count, 2);
    for (std::uint64_t i = 0; i < count; ++i) {
      auto& entry = *m.GetReflection()->AddMessage(&m, f);
      const auto& r = *entry.GetReflection();
      switch (key->cpp_type()) {
        case FieldDescriptor::CPPTYPE_STRING:
          r.SetString(&entry, key, std::to_string(9 - i) + text());
          break;
        case FieldDescriptor::CPPTYPE_BOOL:
          r.SetBool(&entry, key, i == 0);
          break;
        case FieldDescriptor::CPPTYPE_INT32:
          r.SetInt32(&entry, key, static_cast<std::int32_t>(5 - 3 * i));
          break;
        case FieldDescriptor::CPPTYPE_UINT32:
          r.SetUInt32(&entry, key, static_cast<std::uint32_t>(40 - 13 * i));
          break;
        case FieldDescriptor::CPPTYPE_INT64:
          r.SetInt64(&entry, key, static_cast<std::int64_t>(5 - 3 * i));
          break;
        default:
          r.SetUInt64(&entry, key, 40 - 13 * i);
      }
      set(entry, f->message_type()->map_value(), depth + 1);
    }
  }

  std::mt19937_64 random_;
};

/// Makes the file of a type with every kind of field, declared in another order than that of the
/// numbers.
class made_up_type {
 public:
  made_up_type() {
    file_.set_name("made_up.proto");
    file_.set_package("made_up");
    file_.set_syntax("proto3");
    file_.add_dependency("google/protobuf/timestamp.proto");
    auto& colour = *file_.add_enum_type();
    colour.set_name("Colour");
    for (const auto& [name, number] : {std::pair{"NONE", 0}, {"RED", 3}, {"BLUE", -1}}) {
      auto& value = *colour.add_value();
      value.set_name(name);
      value.set_number(number);
    }
    all_.set_name("All");
    for (const auto& [name, type] : kinds) {
      add(std::string{"one_"} + name, type, pb::FieldDescriptorProto::LABEL_OPTIONAL);
      add(std::string{"many_"} + name, type, pb::FieldDescriptorProto::LABEL_REPEATED);
      add_map(std::string{"to_"} + name, pb::FieldDescriptorProto::TYPE_STRING, type);
      if (is_key(type)) add_map(std::string{"from_"} + name, type, kinds.front().second);
    }
    add("time", pb::FieldDescriptorProto::TYPE_MESSAGE, pb::FieldDescriptorProto::LABEL_OPTIONAL)
        .set_type_name(".google.protobuf.Timestamp");
    add("times", pb::FieldDescriptorProto::TYPE_MESSAGE, pb::FieldDescriptorProto::LABEL_REPEATED)
        .set_type_name(".google.protobuf.Timestamp");
    all_.add_oneof_decl()->set_name("choice");
    for (const auto type :
         {pb::FieldDescriptorProto::TYPE_STRING, pb::FieldDescriptorProto::TYPE_MESSAGE,
          pb::FieldDescriptorProto::TYPE_INT32})
      add("chosen_" + std::to_string(type), type, pb::FieldDescriptorProto::LABEL_OPTIONAL)
          .set_oneof_index(0);
    add("renamed", pb::FieldDescriptorProto::TYPE_BOOL, pb::FieldDescriptorProto::LABEL_OPTIONAL)
        .set_json_name("other-name");
    *file_.add_message_type() = all_;
  }

  [[nodiscard]] const pb::FileDescriptorProto& file() const { return file_; }

 private:
  using kind = pb::FieldDescriptorProto::Type;
  inline static const std::vector<std::pair<const char*, kind>> kinds{
      {"double", pb::FieldDescriptorProto::TYPE_DOUBLE},
      {"float", pb::FieldDescriptorProto::TYPE_FLOAT},
      {"int64", pb::FieldDescriptorProto::TYPE_INT64},
      {"uint64", pb::FieldDescriptorProto::TYPE_UINT64},
      {"int32", pb::FieldDescriptorProto::TYPE_INT32},
      {"fixed64", pb::FieldDescriptorProto::TYPE_FIXED64},
      {"fixed32", pb::FieldDescriptorProto::TYPE_FIXED32},
      {"bool", pb::FieldDescriptorProto::TYPE_BOOL},
      {"string", pb::FieldDescriptorProto::TYPE_STRING},
      {"message", pb::FieldDescriptorProto::TYPE_MESSAGE},
      {"bytes", pb::FieldDescriptorProto::TYPE_BYTES},
      {"uint32", pb::FieldDescriptorProto::TYPE_UINT32},
      {"enum", pb::FieldDescriptorProto::TYPE_ENUM},
      {"sfixed32", pb::FieldDescriptorProto::TYPE_SFIXED32},
      {"sfixed64", pb::FieldDescriptorProto::TYPE_SFIXED64},
      {"sint32", pb::FieldDescriptorProto::TYPE_SINT32},
      {"sint64", pb::FieldDescriptorProto::TYPE_SINT64}};

  static bool is_key(kind type) {
    return type != pb::FieldDescriptorProto::TYPE_DOUBLE &&
           type != pb::FieldDescriptorProto::TYPE_FLOAT &&
           type != pb::FieldDescriptorProto::TYPE_MESSAGE &&
           type != pb::FieldDescriptorProto::TYPE_BYTES &&
           type != pb::FieldDescriptorProto::TYPE_ENUM;
  }

  static void describe(pb::FieldDescriptorProto& field, const std::string& name, int number,
                       kind type, pb::FieldDescriptorProto::Label label) {
    field.set_name(name);
    field.set_number(number);
    field.set_type(type);
    field.set_label(label);
    if (type == pb::FieldDescriptorProto::TYPE_MESSAGE) field.set_type_name(".made_up.All");
    if (type == pb::FieldDescriptorProto::TYPE_ENUM) field.set_type_name(".made_up.Colour");
  }

  pb::FieldDescriptorProto& add(const std::string& name, kind type,
                                pb::FieldDescriptorProto::Label label) {
    const int declared = all_.field_size();
    auto& field = *all_.add_field();
    describe(field, name, declared % 2 == 0 ? 500 - declared : 1 + declared, type, label);
    return field;
  }

  void add_map(const std::string& name, kind key, kind value) {
    auto& entry = *all_.add_nested_type();
    std::string type;
    for (std::size_t i = 0; i < name.size(); ++i) {
      if (name[i] == '_') continue;
      const bool begins = i == 0 || name[i - 1] == '_';
      type += static_cast<char>(begins ? std::toupper(name[i]) : name[i]);
    }
    entry.set_name(type + "Entry");
    entry.mutable_options()->set_map_entry(true);
    describe(*entry.add_field(), "key", 1, key, pb::FieldDescriptorProto::LABEL_OPTIONAL);
    describe(*entry.add_field(), "value", 2, value, pb::FieldDescriptorProto::LABEL_OPTIONAL);
    add(name, pb::FieldDescriptorProto::TYPE_MESSAGE, pb::FieldDescriptorProto::LABEL_REPEATED)
        .set_type_name(".made_up.All." + entry.name());
  }

  pb::FileDescriptorProto file_;
  pb::DescriptorProto all_;
};

}  // namespace

TEST(json_writer, prints_every_kind_of_field_as_json_util_does) {
  pb::DescriptorPool pool{pb::DescriptorPool::generated_pool()};
  const auto* file = pool.BuildFile(made_up_type{}.file());
  ASSERT_NE(file, nullptr);
  pb::DynamicMessageFactory factory{&pool};
  factory.SetDelegateToGeneratedFactory(true);
  const auto* prototype = factory.GetPrototype(file->FindMessageTypeByName("All"));
  for (unsigned seed = 0; seed < 30; ++seed) {
    const std::unique_ptr<pb::Message> message{prototype->New()};
    filler{seed}.fill(*message);
    expect_same(*message);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(json_writer, prints_all_messages_of_the_api_as_json_util_does) {
  for (const std::string name :
       {"api.JobDetails", "api.EventStreamMessage", "api.Job", "api.Queue",
        "argosy.v1.DescribeJobResponse", "argosy.v1.QueueSummary", "argosy.v1.NodeSummary",
        "argosy.v1.GetTraceResponse", "argosy.v1.GetGraphResponse", "argosy.v1.JobSetSummary"}) {
    const auto* type = pb::DescriptorPool::generated_pool()->FindMessageTypeByName(name);
    ASSERT_NE(type, nullptr) << name;
    for (unsigned seed = 0; seed < 20; ++seed) {
      const std::unique_ptr<pb::Message> message{
          pb::MessageFactory::generated_factory()->GetPrototype(type)->New()};
      filler{seed}.fill(*message);
      expect_same(*message);
      if (HasFailure()) FAIL() << name << ", seed " << seed;
    }
  }
}

TEST(json_writer, prints_text_that_is_not_utf8_as_json_util_does) {
  const pb::LogSilencer silent;
  k8s::io::api::core::v1::PodSpec pod;
  pod.set_nodename("a\xff\xc3 b");
  EXPECT_EQ(from_writer(pod, false), from_json_util(pod, false));
}

TEST(json_writer, leaves_out_what_was_not_set_in_pod_specs_alone) {
  api::Job job;
  job.mutable_pod_spec()->add_containers()->set_name("main");
  job.add_pod_specs()->set_terminationgraceperiodseconds(0);
  const auto text = json_of(job);
  EXPECT_NE(text.find(R"("podSpec":{"containers":[{"name":"main"}]})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("podSpecs":[{"terminationGracePeriodSeconds":0}])"), std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("clientId":"")"), std::string::npos) << text;
}

TEST(json_writer, prints_pods_as_kubernetes_writes_them_so_that_they_can_be_submitted_again) {
  api::Job job;
  auto& pod = *job.mutable_pod_spec();
  pod.set_activedeadlineseconds(300);
  (*pod.add_containers()->mutable_resources()->mutable_requests())["cpu"].set_string("100m");
  auto& volume = *pod.add_volumes();
  volume.set_name("v");
  volume.mutable_volumesource()->mutable_emptydir()->mutable_sizelimit()->set_string("1Gi");
  const auto text = json_of(job);
  EXPECT_NE(text.find(R"("requests":{"cpu":"100m"})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"({"name":"v","emptyDir":{"sizeLimit":"1Gi"}})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("activeDeadlineSeconds":300)"), std::string::npos) << text;
}

TEST(json_writer, has_one_key_for_job_sets_and_amounts_as_text) {
  api::JobDetails job;
  job.set_jobset("s");
  auto& needs = *job.mutable_job_spec()->mutable_scheduling_resource_requirements();
  (*needs.mutable_requests())["cpu"].set_string("100m");
  const auto text = json_of(job);
  EXPECT_NE(text.find(R"("jobSet":"s")"), std::string::npos) << text;
  EXPECT_EQ(text.find(R"("jobset")"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("requests":{"cpu":"100m"})"), std::string::npos) << text;
}

TEST(json_writer, leaves_out_values_that_the_message_says_it_has_not) {
  argosy::v1::JobSummary job;
  auto text = json_of(job);
  EXPECT_EQ(text.find("xitCode"), std::string::npos) << text;
  EXPECT_EQ(text.find("clusterHeard"), std::string::npos) << text;
  job.set_has_exit_code(true);
  text = json_of(job);
  EXPECT_NE(text.find(R"("exitCode":0)"), std::string::npos) << text;
  EXPECT_EQ(text.find("hasExitCode"), std::string::npos) << text;
}

TEST(json_writer, prints_a_time_out_of_range_as_its_parts) {
  pb::Timestamp time;
  time.set_nanos(-1);
  EXPECT_EQ(from_writer(time, true), R"({"seconds":"0","nanos":-1})");
}

}  // namespace argosy::ctl
