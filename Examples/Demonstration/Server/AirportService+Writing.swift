// SPDX-License-Identifier: Apache-2.0

import FlyingFox
import Foundation

extension AirportService {
    /// Returns the response to a request that creates, changes or deletes a notice.
    func responseToWrite(_ request: HTTPRequest) async throws -> HTTPResponse {
        let path = request.path.split(separator: "/").map(String.init)
        let isNotice = path.first == "notices" && path.count < 3
        do {
            switch request.method {
            case .POST where isNotice && path.count == 1:
                guard isJSON(request) else { return try unsupported("application/json") }
                let notice = try notices.create(from: await request.bodyData)
                return try response(.created, notice, [.location: "/notices/\(notice.id)"])
            case .PATCH where isNotice && path.count == 2:
                let type = "application/merge-patch+json"
                guard request.headers[.contentType] == type else { return try unsupported(type) }
                return try response(
                    .ok, try notices.change(path[1], by: await request.bodyData))
            case .DELETE where isNotice && path.count == 2:
                try notices.delete(path[1])
                return HTTPResponse(statusCode: .noContent)
            default:
                let allowed =
                    !isNotice
                    ? "GET, HEAD" : path.count == 1 ? "GET, HEAD, POST" : "GET, HEAD, PATCH, DELETE"
                var response = try fault(.methodNotAllowed, "the methods here are \(allowed)")
                response.headers[HTTPHeader("Allow")] = allowed
                return response
            }
        } catch let error as NoticeService.Fault {
            return try fault(error.status, error.message)
        }
    }

    private func isJSON(_ request: HTTPRequest) -> Bool {
        let type = request.headers[.contentType]?.split(separator: ";").first
        return type?.lowercased() == "application/json"
    }

    private func unsupported(_ type: String) throws -> HTTPResponse {
        try fault(.unsupportedMediaType, "the body must be \(type)")
    }

    private func response(
        _ status: HTTPStatusCode, _ notice: NoticeRecord, _ headers: HTTPHeaders = [:]
    ) throws -> HTTPResponse {
        let body = try Self.encode(NoticeRepresentation(record: notice))
        var response = HTTPResponse(statusCode: status, headers: headers, body: body)
        response.headers[.contentType] = "application/json"
        response.headers[.eTag] = EntityTag(of: body).text
        return response
    }
}
