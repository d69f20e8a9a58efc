// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestOutbox

/// The state of an entry as two columns: a name, and a status code or a count.
struct StateText {
    /// The state of an entry that cannot be read or sent with the present model.
    static let quarantined = "quarantined"

    let name: String
    let detail: Int64?

    init(_ name: String, _ detail: Int64?) {
        self.name = name
        self.detail = detail
    }

    init(_ state: OutboxEntry.State) {
        switch state {
        case .waiting: self.init("waiting", nil)
        case .sending: self.init("sending", nil)
        case .probing(let negative): self.init("probing", Int64(negative))
        case .reading: self.init("reading", nil)
        case .refused(.rejected(let status)): self.init("refused", Int64(status))
        case .refused(.gone): self.init("gone", nil)
        case .refused(.keyReused): self.init("keyReused", nil)
        case .refused(.invalid): self.init("invalid", nil)
        case .conflicted: self.init("conflicted", nil)
        case .uncertain: self.init("uncertain", nil)
        case .abandoned: self.init("abandoned", nil)
        }
    }

    /// The state; `nil` if the name is not one of this version.
    var state: OutboxEntry.State? {
        switch name {
        case "waiting": .waiting
        case "sending": .sending
        case "probing": .probing(negative: Int(detail ?? 0))
        case "reading": .reading
        case "refused": .refused(.rejected(Int(detail ?? 0)))
        case "gone": .refused(.gone)
        case "keyReused": .refused(.keyReused)
        case "invalid": .refused(.invalid)
        case "conflicted": .conflicted
        case "uncertain": .uncertain
        case "abandoned": .abandoned
        default: nil
        }
    }
}

/// A command as text.
enum CommandText {
    private struct Content: Codable {
        let method: String
        let path: String
        let body: Data
        let contentType: String?
        /// The lifetime of the idempotency key in seconds; `nil` for a command that is sent at most once.
        let keyLifetime: Int64?
        /// The part of the request with the key; absent for the standard header field.
        let keyPlace: IdempotencyKeyPlace?
        /// `false` for a command that does not wait; else absent.
        let isQueued: Bool?
        /// The parts of a form; absent for another body.
        let parts: [FormPart]?
    }

    static func encode(_ command: OutboxCommand) -> String? {
        var lifetime: Int64?
        if case .idempotencyKey(let duration) = command.remedy {
            lifetime = duration.components.seconds
        }
        let content = Content(
            method: command.method, path: command.path, body: command.body,
            contentType: command.contentType, keyLifetime: lifetime,
            keyPlace: command.keyPlace == .standard ? nil : command.keyPlace,
            isQueued: command.isQueued ? nil : false,
            parts: command.parts.isEmpty ? nil : command.parts)
        return (try? JSONEncoder().encode(content)).map { String(decoding: $0, as: UTF8.self) }
    }

    static func decode(_ text: String) -> OutboxCommand? {
        guard let content = try? JSONDecoder().decode(Content.self, from: Data(text.utf8)) else {
            return nil
        }
        var command = OutboxCommand(
            method: content.method, path: content.path, body: content.body,
            contentType: content.contentType,
            remedy: content.keyLifetime.map { .idempotencyKey(lifetime: .seconds($0)) }
                ?? .atMostOnce, isQueued: content.isQueued ?? true)
        command.keyPlace = content.keyPlace ?? .standard
        command.parts = content.parts ?? []
        return command
    }
}
