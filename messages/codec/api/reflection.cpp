// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/api/reflection.hpp"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <set>
#include <vector>

#include "messages/codec/api/method_list.hpp"
#include "messages/proto/grpc/health.pb.h"
#include "messages/proto/grpc/reflection.pb.h"

namespace argosy::codec {

namespace {

using google::protobuf::DescriptorPool;
using google::protobuf::FileDescriptor;
using request = grpc::reflection::v1::ServerReflectionRequest;
using response = grpc::reflection::v1::ServerReflectionResponse;

// The numbers of gRPC's codes.
constexpr int invalid_argument = 3;
constexpr int not_found = 5;

/// The services that clients see: those of the API, and those that gRPC itself has.
std::vector<std::string> told_services() {
  auto out = api_services();
  out.push_back(
      grpc::health::v1::HealthCheckRequest::descriptor()->file()->service(0)->full_name());
  out.push_back(request::descriptor()->file()->service(0)->full_name());
  return out;
}

/// Adds the file after all that it imports.
void add_with_imports(const FileDescriptor& file, std::set<const FileDescriptor*>& seen,
                      std::vector<const FileDescriptor*>& out) {
  if (!seen.insert(&file).second) return;
  for (int i = 0; i < file.dependency_count(); ++i)
    add_with_imports(*file.dependency(i), seen, out);
  out.push_back(&file);
}

/// The files of all services, with everything that they import.
const std::set<const FileDescriptor*>& told_files() {
  static const auto* const files = [] {
    auto* out = new std::set<const FileDescriptor*>;
    std::vector<const FileDescriptor*> order;
    for (const auto& name : told_services())
      add_with_imports(*DescriptorPool::generated_pool()->FindServiceByName(name)->file(), *out,
                       order);
    return out;
  }();
  return *files;
}

void set_error(response& out, int code, std::string why) {
  out.mutable_error_response()->set_error_code(code);
  out.mutable_error_response()->set_error_message(std::move(why));
}

void set_file(response& out, const FileDescriptor* file, const std::string& asked) {
  if (file == nullptr || !told_files().contains(file))
    return set_error(out, not_found, "the API has no '" + asked + "'");
  std::set<const FileDescriptor*> seen;
  std::vector<const FileDescriptor*> order;
  add_with_imports(*file, seen, order);
  for (const auto* each : order) {
    google::protobuf::FileDescriptorProto text;
    each->CopyTo(&text);
    // protoc leaves these names out of what it compiles in, and clients in Go do not derive them.
    each->CopyJsonNameTo(&text);
    text.SerializeToString(out.mutable_file_descriptor_response()->add_file_descriptor_proto());
  }
}

}  // namespace

std::string answer_reflection(std::string_view question) {
  const auto* pool = DescriptorPool::generated_pool();
  request asked;
  response out;
  if (!asked.ParseFromArray(question.data(), static_cast<int>(question.size()))) {
    set_error(out, invalid_argument, "this is no question of grpc.reflection.v1");
    return out.SerializeAsString();
  }
  out.set_valid_host(asked.host());
  *out.mutable_original_request() = asked;
  switch (asked.message_request_case()) {
    case request::kListServices:
      for (const auto& name : told_services())
        out.mutable_list_services_response()->add_service()->set_name(name);
      break;
    case request::kFileByFilename:
      set_file(out, pool->FindFileByName(asked.file_by_filename()), asked.file_by_filename());
      break;
    case request::kFileContainingSymbol:
      set_file(out, pool->FindFileContainingSymbol(asked.file_containing_symbol()),
               asked.file_containing_symbol());
      break;
    case request::kFileContainingExtension:
    case request::kAllExtensionNumbersOfType:
      set_error(out, not_found, "the API's messages have no extensions");
      break;
    case request::MESSAGE_REQUEST_NOT_SET:
      set_error(out, invalid_argument, "the question asks for nothing");
      break;
  }
  return out.SerializeAsString();
}

}  // namespace argosy::codec
