// SPDX-License-Identifier: Apache-2.0
// Goal: a client without .proto files can build every request of the API from what it is told.
// Method: a pool of descriptors that is filled from the answers alone.
#include "messages/codec/api/reflection.hpp"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include "messages/codec/api/method_list.hpp"
#include "messages/proto/grpc/reflection.pb.h"

namespace argosy::codec {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using request = grpc::reflection::v1::ServerReflectionRequest;
using response = grpc::reflection::v1::ServerReflectionResponse;

response answer_to(const request& asked) {
  response out;
  EXPECT_TRUE(out.ParseFromString(answer_reflection(asked.SerializeAsString())));
  return out;
}

response about(const std::string& symbol) {
  request asked;
  asked.set_file_containing_symbol(symbol);
  return answer_to(asked);
}

TEST(reflection, lists_the_services_of_the_api_and_those_of_grpc) {
  request asked;
  asked.set_list_services("*");
  asked.set_host("here");
  const auto told = answer_to(asked);
  std::vector<std::string> names;
  for (const auto& service : told.list_services_response().service())
    names.push_back(service.name());
  for (const auto& service : api_services()) EXPECT_THAT(names, Contains(service));
  EXPECT_THAT(names, Contains("grpc.health.v1.Health"));
  EXPECT_THAT(names, Contains("grpc.reflection.v1.ServerReflection"));
  EXPECT_EQ(told.valid_host(), "here");
  EXPECT_EQ(told.original_request().list_services(), "*");
}

TEST(reflection, tells_all_that_is_needed_to_call_each_method) {
  for (const auto& service : api_services()) {
    google::protobuf::DescriptorPool pool;
    const auto told = about(service);
    for (const auto& text : told.file_descriptor_response().file_descriptor_proto()) {
      google::protobuf::FileDescriptorProto file;
      ASSERT_TRUE(file.ParseFromString(text));
      ASSERT_NE(pool.BuildFile(file), nullptr) << file.name() << " comes before what it imports";
    }
    EXPECT_NE(pool.FindServiceByName(service), nullptr) << service;
  }
}

TEST(reflection, finds_files_methods_messages_and_fields) {
  request asked;
  asked.set_file_by_filename("messages/proto/api/submit.proto");
  const auto files = answer_to(asked).file_descriptor_response().file_descriptor_proto_size();
  EXPECT_GT(files, 1);
  for (const auto* symbol : {"api.Submit.SubmitJobs", "api.JobSubmitRequest",
                             "api.JobSubmitRequest.queue", "k8s.io.api.core.v1.PodSpec"})
    EXPECT_GE(about(symbol).file_descriptor_response().file_descriptor_proto_size(), 1) << symbol;
}

TEST(reflection, refuses_what_is_not_of_the_api) {
  for (const auto* symbol :
       {"argosy.store.v1.Position", "argosy.agent.v1.Hello", "api.Nothing", ""})
    EXPECT_EQ(about(symbol).error_response().error_code(), 5) << symbol;
  request asked;
  EXPECT_EQ(answer_to(asked).error_response().error_code(), 3);
  asked.set_all_extension_numbers_of_type("api.Queue");
  EXPECT_THAT(answer_to(asked).error_response().error_message(), HasSubstr("no extensions"));
  response told;
  ASSERT_TRUE(told.ParseFromString(answer_reflection("\xff\xff")));
  EXPECT_EQ(told.error_response().error_code(), 3);
}

}  // namespace
}  // namespace argosy::codec
