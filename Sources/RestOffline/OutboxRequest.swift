// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HTTPTypes
public import RestDocument
import RestOutbox

/// A request of an outbox that is no edit.
public struct OutboxRequest: Sendable {
    private var command: OutboxCommand
    /// The form that is the body; `nil` for another body.
    let form: OutboxForm?

    /// Returns the command.
    ///
    /// - Parameters:
    ///   - parts: The parts of the form.
    ///   - isQueued: A Boolean value that indicates whether the request waits if it cannot be sent now.
    /// - Returns: The command.
    func command(_ parts: [FormPart], isQueued: Bool) -> OutboxCommand {
        var copy = command
        copy.isQueued = isQueued
        copy.parts = parts
        return copy
    }

    private init(_ command: OutboxCommand, form: OutboxForm? = nil) {
        self.command = command
        self.form = form
    }

    /// Returns a POST request.
    ///
    /// Without a key it is sent at most once: if its answer is lost, the entry is uncertain.
    ///
    /// - Parameters:
    ///   - path: The pattern of the path, which the values of the object fill, such as `orders/:id/cancel`.
    ///   - parameters: The body, as JSON; `nil` for none.
    ///   - keyLifetime: The time for which the server remembers an `Idempotency-Key`, with which the request is
    ///     sent again; `nil` for a request without a key.
    /// - Returns: The request.
    public static func post(
        _ path: String, parameters: Document? = nil, keyLifetime: Duration? = nil
    ) -> OutboxRequest {
        let body = parameters.map { Data(JSONWriter.compact.bytes(of: $0)) } ?? Data()
        return OutboxRequest(
            OutboxCommand(
                method: HTTPRequest.Method.post.rawValue, path: path, body: body,
                contentType: parameters == nil ? nil : "application/json",
                remedy: keyLifetime.map { .idempotencyKey(lifetime: $0) } ?? .atMostOnce))
    }

    /// Returns a POST request with a multipart form, such as one with attachments.
    ///
    /// - Parameters:
    ///   - path: The pattern of the path, which the values of the object fill, such as `notes/:id/image`.
    ///   - form: The form. Its files are copied when the request is added.
    ///   - keyLifetime: The time for which the server remembers an `Idempotency-Key`, with which the request is
    ///     sent again; `nil` for a request without a key.
    /// - Returns: The request.
    public static func post(
        _ path: String, form: OutboxForm, keyLifetime: Duration? = nil
    ) -> OutboxRequest {
        OutboxRequest(
            OutboxCommand(
                method: HTTPRequest.Method.post.rawValue, path: path,
                remedy: keyLifetime.map { .idempotencyKey(lifetime: $0) } ?? .atMostOnce),
            form: form)
    }

    /// Returns the request with an idempotency key in a header field, with which it is sent again as long as the
    /// server remembers the key.
    ///
    /// - Parameters:
    ///   - field: The header field of the key.
    ///   - lifetime: The time for which the server remembers a key.
    ///   - isQuoted: A Boolean value that indicates whether the key is a quoted string, as the draft of the IETF
    ///     requires, or bare text.
    /// - Returns: The request.
    /// - Source: draft-ietf-httpapi-idempotency-key-header.
    public func idempotencyKey(
        field: String = "Idempotency-Key", lifetime: Duration, isQuoted: Bool = true
    ) -> OutboxRequest {
        idempotencyKey(in: .field(field, isQuoted: isQuoted), lifetime)
    }

    /// Returns the request with an idempotency key in its body, with which it is sent again as long as the server
    /// remembers the key.
    ///
    /// ```swift
    /// OutboxRequest.post("orders/:id/pay").idempotencyKey(member: "token", lifetime: .seconds(24 * 3600))
    /// ```
    ///
    /// A request without a body gets an object with the key.
    ///
    /// - Parameters:
    ///   - member: The name of the member of the JSON object of the body with the key, or of the field of the form.
    ///   - lifetime: The time for which the server remembers a key.
    /// - Returns: The request.
    public func idempotencyKey(member: String, lifetime: Duration) -> OutboxRequest {
        idempotencyKey(in: .member(member), lifetime)
    }

    private func idempotencyKey(
        in place: IdempotencyKeyPlace, _ lifetime: Duration
    ) -> OutboxRequest {
        var copy = self
        copy.command.remedy = .idempotencyKey(lifetime: lifetime)
        copy.command.keyPlace = place
        return copy
    }
}

/// A multipart form of a request of an outbox.
///
/// ```swift
/// var form = OutboxForm()
/// form.addField("Holidays", named: "caption")
/// form.addFile(at: picture, named: "image", contentType: "image/jpeg")
/// try await outbox.enqueue(.post("notes/:id/image", form: form), for: note)
/// ```
///
/// The files are copied into a directory beside the file of the store before the request is added, so that they may
/// be temporary. Equal files are stored once. A file is read in chunks when it is sent, and is removed with the last
/// entry that sends it.
public struct OutboxForm: Sendable {
    enum Part: Sendable {
        case field(String, name: String)
        case file(URL, name: String, fileName: String, contentType: String?)
    }

    private(set) var parts: [Part] = []

    /// Creates a form without parts.
    public init() {}

    /// Adds a text.
    public mutating func addField(_ text: String, named name: String) {
        parts.append(.field(text, name: name))
    }

    /// Adds a file.
    ///
    /// - Parameters:
    ///   - url: The file, which is read when the request is added.
    ///   - name: The name of the field.
    ///   - fileName: The file name; `nil` for the last component of the URL.
    ///   - contentType: The media type; `nil` for `application/octet-stream`.
    public mutating func addFile(
        at url: URL, named name: String, fileName: String? = nil, contentType: String? = nil
    ) {
        parts.append(
            .file(
                url, name: name, fileName: fileName ?? url.lastPathComponent,
                contentType: contentType))
    }
}
