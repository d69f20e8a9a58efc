// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HTTPTypes
import RestOutbox
import RestPersistence
import RestTransport

/// A request of an outbox that the program lets the system send, such as a background URLSession, which goes on when
/// the program is suspended or ends.
public struct OutboxUpload: Sendable, Identifiable {
    /// The identity of the request, which is valid in all launches, such as for the description of an upload task.
    public let id: String
    /// The method.
    public let method: String
    /// The URL.
    public let url: URL
    /// The header fields, with credentials: do not store them.
    public let fields: [String: String]
    /// The file with the body, which exists until the upload ends.
    public let body: URL

    init(_ request: TransportRequest, attempt: Int64, file: URL) {
        id = String(attempt)
        method = request.method.rawValue
        url = URL(string: request.url.requestText) ?? file
        var fields: [String: String] = [:]
        for field in request.headerFields { fields[field.name.rawName] = field.value }
        self.fields = fields
        body = file
    }
}

extension Outbox {
    /// Freezes the requests whose turn it is, for the system to send.
    ///
    /// The requests are as if the outbox had sent them: they are committed, and what follows them waits for their
    /// answers, which ``endUpload(_:status:fields:body:)`` records. Another launch of the program does not send them
    /// again for seven days.
    ///
    /// ```swift
    /// for upload in try await outbox.beginUploads() {
    ///     var request = URLRequest(url: upload.url)
    ///     request.httpMethod = upload.method
    ///     request.allHTTPHeaderFields = upload.fields
    ///     let task = session.uploadTask(with: request, fromFile: upload.body)
    ///     task.taskDescription = upload.id
    ///     task.resume()
    /// }
    /// ```
    ///
    /// Pause the outbox before, so that it does not send them itself.
    ///
    /// - Parameter limit: The maximum number of requests; 100 by default.
    /// - Returns: The requests.
    /// - Throws: ``OutboxError`` with code `fileUnavailable`; `PersistenceError` of the store.
    public func beginUploads(limit: Int = 100) async throws -> [OutboxUpload] {
        try await sender.beginUploads(limit: limit)
    }

    /// Records the answer to a request that the system has sent.
    ///
    /// - Parameters:
    ///   - id: The identity of the request.
    ///   - status: The status code.
    ///   - fields: The header fields.
    ///   - body: The body.
    /// - Throws: ``OutboxError`` with code `unknownEntry` if the request has ended; `PersistenceError` of the store.
    public func endUpload(
        _ id: OutboxUpload.ID, status: Int, fields: [String: String], body: Data
    ) async throws {
        let answer = SuppliedExchange.Answer(status: status, fields: fields, body: Array(body))
        guard let number = Int64(id),
            try await sender.endUpload(number, with: answer, mayBeExecuted: true)
        else { throw OutboxError(.unknownEntry, "the request has ended") }
    }

    /// Notes that a request that the system should have sent has no answer.
    ///
    /// - Parameters:
    ///   - id: The identity of the request.
    ///   - mayBeExecuted: A Boolean value that indicates whether a part of the request may have been sent.
    /// - Throws: ``OutboxError`` with code `unknownEntry` if the request has ended; `PersistenceError` of the store.
    public func failUpload(_ id: OutboxUpload.ID, mayBeExecuted: Bool) async throws {
        guard let number = Int64(id),
            try await sender.endUpload(number, with: nil, mayBeExecuted: mayBeExecuted)
        else { throw OutboxError(.unknownEntry, "the request has ended") }
    }
}
