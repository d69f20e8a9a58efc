// SPDX-License-Identifier: Apache-2.0

package import Foundation
import RestTransport

/// A part of a multipart form.
package struct FormPart: Sendable, Hashable, Codable {
    package enum Content: Sendable, Hashable, Codable {
        case text(String)
        /// A file in the directory of the outbox, by the digest of its content, which is its name.
        case file(digest: String)
    }

    package let name: String
    package let fileName: String?
    package let contentType: String?
    package let content: Content

    package init(
        _ content: Content, named name: String, fileName: String? = nil, contentType: String? = nil
    ) {
        self.content = content
        self.name = name
        self.fileName = fileName
        self.contentType = contentType
    }

    /// The digest of a file; `nil` for text.
    package var digest: String? {
        if case .file(let digest) = content { digest } else { nil }
    }
}

/// The request of a command, before its path has the values of the object.
package struct OutboxCommand: Sendable, Hashable {
    package let method: String
    /// The pattern of the path.
    package let path: String
    package let body: Data
    /// The media type of the body; `nil` for none.
    package let contentType: String?
    /// The remedy if its answer is lost, ``CreationRemedy/idempotencyKey(lifetime:)`` or
    /// ``CreationRemedy/atMostOnce``.
    package var remedy: CreationRemedy
    /// The part of the request with the key, if the remedy is one.
    package var keyPlace = IdempotencyKeyPlace.standard
    /// A Boolean value that indicates whether the request waits if it cannot be sent now.
    package var isQueued: Bool
    /// The parts of a form, which is the body; empty for another body.
    package var parts: [FormPart] = []

    package init(
        method: String, path: String, body: Data = Data(), contentType: String? = nil,
        remedy: CreationRemedy = .atMostOnce, isQueued: Bool = true
    ) {
        self.isQueued = isQueued
        self.method = method
        self.path = path
        self.body = body
        self.contentType = contentType
        self.remedy = remedy
    }

    /// Returns the parts of the form of an attempt, with the key if a field of the form has it.
    package func parts(of attempt: OutboxAttempt) -> [FormPart] {
        guard !parts.isEmpty, case .idempotencyKey = remedy, case .member(let name) = keyPlace,
            let key = attempt.request.idempotencyKey
        else { return parts }
        return [FormPart(.text(key), named: name)] + parts
    }
}

extension OutboxEntry {
    /// The kind whose meanings answers to the request have: the removal of a member is as the deletion of an object.
    var answeredKind: Kind {
        kind == .update && attempt?.request.method == "DELETE" ? .deletion : kind
    }

    /// Returns a Boolean value that indicates whether the request of the entry adds or removes one member, so that
    /// its answer says nothing about the object.
    package func isMemberRequest(in entity: SentEntity) -> Bool {
        guard kind == .update, values.count == 1, let property = values.keys.first else {
            return false
        }
        return entity.members[property]?.isMemberwise == true
    }

    /// The remedy if the answer is lost; `nil` for a request that has the same effect when it is sent again.
    func remedy(in entity: SentEntity) -> CreationRemedy? {
        switch kind {
        case .creation: entity.creation
        case .command: command?.remedy ?? .atMostOnce
        case .update, .deletion: nil
        }
    }
}

extension OutboxQueue {
    /// Removes the first entry of an object if it must not wait, and its request was not executed.
    ///
    /// - Returns: The entry; `nil` if it stays.
    mutating func endUnqueued(
        _ entry: OutboxEntry, after answer: OutboxAnswer, of object: EditedObject
    ) -> [OutboxEntry]? {
        guard entry.command?.isQueued == false else { return nil }
        switch answer {
        case .unsent: break
        case .lost: return nil
        case .response(let response):
            let meaning = answers.meaning(of: response, to: entry.kind, of: object.entity)
            guard [.unauthorized, .postponed, .inProgress].contains(meaning) else { return nil }
        }
        drop(entry.sequence, of: object)
        return [entry]
    }
}

extension ObjectEdits {
    /// Adds a command behind what was saved before.
    mutating func add(
        _ command: OutboxCommand, expires: Date?, by principal: Principal?, _ next: inout Int64
    ) -> Int64 {
        close(&next)
        var entry = OutboxEntry(sequence: next, kind: .command, principal: principal)
        next += 1
        entry.isClosed = true
        entry.command = command
        entry.expires = expires
        entries.append(entry)
        return entry.sequence
    }

    /// Removes the entries that have not been sent in time.
    ///
    /// A command that has been sent and not answered is uncertain.
    mutating func expire(at date: Date) -> [OutboxEntry] {
        let late = entries.filter { $0.isLate(at: date) }
        entries.removeAll { $0.isLate(at: date) }
        if let first = entries.first, first.attempt != nil, first.state == .waiting,
            (first.expires ?? .distantFuture) <= date
        {
            entries[0].state = .uncertain
        }
        return late
    }
}
