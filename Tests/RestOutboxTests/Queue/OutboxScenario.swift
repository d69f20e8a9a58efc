// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestOutbox
import RestRows
import RestTesting
import RestTransport

/// An outbox of folders and notes whose answers a test gives.
///
/// Its identity is that of one program; a class, because expectations call its functions.
final class OutboxScenario {
    var queue: OutboxQueue
    var random = SplitMix64(seed: 7)
    var now = Date(timeIntervalSince1970: 1_000_000)
    let user = Principal("user")
    let folder = EditedObject(entity: "folders", key: 1)
    let note = EditedObject(entity: "notes", key: 2)
    private(set) var requests: [FrozenRequest] = []
    /// A Boolean value that indicates whether creations carry the condition that no object has the identity.
    private let putsNew: Bool

    init(
        _ creation: CreationRemedy = .atMostOnce, isConditional: Bool = false,
        isMonotonic: Bool = false, answers: AnswerTable = AnswerTable(),
        policy: EditPolicy = .contextWins
    ) throws {
        let model = try SentModel([
            SentEntity(
                "folders", properties: ["name", "color"],
                references: ["cover": .init(destination: "notes", isRequired: false)],
                creation: creation, isConditional: isConditional, isMonotonic: isMonotonic),
            SentEntity(
                "notes", properties: ["text"],
                references: ["folder": .init(destination: "folders", isRequired: true)],
                creation: creation, isConditional: isConditional),
        ])
        queue = OutboxQueue(model: model, answers: answers, policy: policy)
        putsNew = creation == .clientIdentity
    }

    static func image(_ name: String, color: String = "red") -> ObjectImage {
        ["name": .text(name), "color": .text(color), "cover": .null]
    }

    /// Adds a folder that the server has.
    func addFolder(_ name: String = "old", version: Int64 = 1) {
        queue.add(folder, Self.image(name), identity: .integer(100), version: .integer(version))
    }

    /// Adds a note that the server has, in the folder with a key.
    func addNote(in folder: Int64 = 1) {
        queue.add(
            note, ["text": .text("a"), "folder": .integer(folder)], identity: .integer(5),
            version: nil)
    }

    func rename(_ name: String) {
        queue.change(folder, ["name": .text(name)], by: user)
    }

    func edits(_ object: EditedObject) -> ObjectEdits? { queue.objects[object] }
    func entries(_ object: EditedObject) -> [OutboxEntry] { queue.objects[object]?.entries ?? [] }
    func kinds(_ object: EditedObject) -> [OutboxEntry.Kind] { entries(object).map(\.kind) }

    func ready() -> [EditedObject] { queue.ready(for: user, at: now).map(\.object) }

    /// Begins the send of an object whose turn it is.
    func send(_ object: EditedObject) -> FrozenRequest? {
        guard ready().contains(object) else { return nil }
        let attempt = queue.startSend(of: object, at: now) { draft in
            let values = draft.values.map { "\($0.key)=\($0.value)" }.sorted()
            return FrozenRequest(
                method: "\(draft.kind)", path: draft.identity.map { "\($0)" } ?? "new",
                body: Data(values.joined(separator: " ").utf8),
                isConditional: draft.version != nil || putsNew && draft.kind == .creation)
        }
        guard let attempt else { return nil }
        requests.append(attempt.request)
        return attempt.request
    }

    func answer(_ answer: OutboxAnswer, _ object: EditedObject) {
        guard let attempt = entries(object).first?.attempt else { return }
        queue.record(answer, of: object, attempt: attempt.number, at: now, using: &random)
    }

    func answer(_ status: Int, _ object: EditedObject, identity: Int64? = nil) {
        answer(
            .response(
                .init(
                    status: status, image: [:], identity: identity.map { .integer($0) },
                    version: .integer(2))
            ),
            object)
    }

    /// Sends the object's first entry and answers it.
    func exchange(_ status: Int, _ object: EditedObject, identity: Int64? = nil) -> Bool {
        guard send(object) != nil else { return false }
        answer(status, object, identity: identity)
        return true
    }

    /// Unites the new folder with an object of the server.
    func unite(with identity: Int64, of other: EditedObject? = nil) -> Bool {
        queue.unite(folder, with: .integer(identity), of: other, at: now)
    }

    func wait(_ seconds: Double) { now = now.addingTimeInterval(seconds) }
}
