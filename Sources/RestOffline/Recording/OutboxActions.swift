// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestOutbox
import RestPersistence
import Synchronization

/// An action of the outbox in a transaction, such as recording an answer, or changing entries for the user.
protocol OutboxAction: SaveAction {
    /// The object of which the action needs the edits; `nil` for none.
    var object: EditedObject? { get }
    /// A Boolean value that indicates whether the action needs the edits as well that mention the object.
    var concernsOthers: Bool { get }
    /// A Boolean value that indicates whether the action needs all edits as well that depend on those of the object,
    /// or on which these depend.
    var concernsConnected: Bool { get }
    /// The version of the object that the head of the response names; `nil` for none.
    var version: StoredValue? { get }
    /// The keys of other objects whose edits the action needs.
    var companions: [Int64] { get }
    /// A Boolean value that indicates whether the action takes what a response brings of the object, which the
    /// import then does not merge.
    var takesImage: Bool { get }

    /// Changes the edits.
    func perform(
        _ queue: inout OutboxQueue, _ context: ActionContext
    ) throws(PersistenceError)
}

extension OutboxAction {
    var concernsConnected: Bool { false }
    var version: StoredValue? { nil }
    var companions: [Int64] { [] }
}

/// The transaction of an action.
struct ActionContext {
    /// The object, with the key that it has by now.
    let object: EditedObject?
    /// The image of the object in the response; `nil` for none.
    let image: ImportedImage?
    let tables: OutboxTables
    let date: Date
    let random: OutboxRandom
    let timing: OutboxTiming
}

/// The image of an object in a response.
struct ImportedImage {
    /// The values of the properties that are sent.
    var values: ObjectImage = [:]
    var identity: StoredValue?
    var version: StoredValue?
}

/// A change of the edits of an object, whose result its creator reads after the transaction.
final class QueueAction<Result: Sendable>: OutboxAction {
    let object: EditedObject?
    let concernsOthers: Bool
    let concernsConnected: Bool
    let takesImage = false
    let version: StoredValue?
    let companions: [Int64]
    private let body:
        @Sendable (inout OutboxQueue, ActionContext) throws(PersistenceError) -> Result
    private let stored = Mutex<Result?>(nil)

    init(
        _ object: EditedObject?, concernsOthers: Bool = false, concernsConnected: Bool = false,
        version: StoredValue? = nil, companions: [Int64] = [],
        _ body:
            @escaping @Sendable (inout OutboxQueue, ActionContext) throws(PersistenceError) ->
            Result
    ) {
        self.object = object
        self.concernsOthers = concernsOthers
        self.concernsConnected = concernsConnected
        self.version = version
        self.companions = companions
        self.body = body
    }

    /// The result; `nil` before the transaction.
    var result: Result? { stored.withLock(\.self) }

    func perform(
        _ queue: inout OutboxQueue, _ context: ActionContext
    ) throws(PersistenceError) {
        let result = try body(&queue, context)
        stored.withLock { $0 = result }
    }
}

/// The answer to an attempt.
final class AnswerAction: OutboxAction {
    let object: EditedObject?
    let concernsOthers: Bool
    let takesImage = true
    private let attempt: Int64
    private let answer: OutboxAnswer
    /// The first bytes of the body of a response.
    private let body: [UInt8]
    /// A Boolean value that indicates whether the version is kept that the head of the response names.
    private let keepsTag: Bool
    /// A Boolean value that indicates whether the response only names the object by its header.
    private let isBlank: Bool
    private let isParked = Mutex(false)

    init(
        _ answer: OutboxAnswer, of object: EditedObject, attempt: Int64, kind: OutboxEntry.Kind,
        body: [UInt8] = [], keepsTag: Bool = false, isBlank: Bool = false
    ) {
        self.isBlank = isBlank
        self.keepsTag = keepsTag
        self.object = object
        self.answer = answer
        self.attempt = attempt
        self.body = body
        // Creations that fail and deletions that succeed void what mentions the object.
        concernsOthers = kind == .deletion || kind == .creation
    }

    func perform(
        _ queue: inout OutboxQueue, _ context: ActionContext
    ) throws(PersistenceError) {
        guard let object = context.object, let entry = queue.objects[object]?.entries.first else {
            return
        }
        var answer = answer
        if case .response(var response) = answer {
            response.identity = context.image?.identity ?? response.identity
            if response.identity == nil, entry.kind == .creation, response.status == 412 {
                // The object with the identity of the client exists, which the answer does not repeat.
                response.identity = try context.tables.identity(ofRow: object)
            }
            if let image = context.image, !isBlank {
                response.image = image.values.isEmpty ? nil : image.values
                response.version = image.version ?? response.version
            }
            answer = .response(response)
        }
        if keepsTag, case .response(let response) = answer {
            try context.tables.setTag(response.version, of: object.key)
        }
        var generator = context.random
        let isCurrent = entry.attempt?.number == attempt
        let void = queue.record(
            answer, of: object, attempt: attempt, at: context.date, using: &generator)
        for entry in void {
            try context.tables.note("discarded", detail: nil, of: entry, object, at: context.date)
        }
        guard isCurrent, case .response(let response) = answer else { return }
        let first = queue.objects[object]?.entries.first
        let isParked = first?.sequence == entry.sequence && first?.state.isParked == true
        self.isParked.withLock { $0 = isParked }
        if first?.sequence != entry.sequence,
            !void.contains(where: { $0.sequence == entry.sequence })
        {
            try context.tables.note(
                "accepted", detail: response.status, of: entry, object, at: context.date)
            try context.tables.acknowledge(entry, of: object, context.timing, at: context.date)
        }
    }

    /// A Boolean value that indicates whether the answer can be recorded with others: it changes no other object,
    /// and its body is not kept.
    var isGroupable: Bool {
        guard object != nil, !concernsOthers, body.isEmpty else { return false }
        guard case .response(let response) = answer else { return true }
        return response.status < 400
    }

    /// The body of the answer, which a refused entry keeps; `nil` if the answer has not parked the entry.
    var problem: [UInt8]? { isParked.withLock(\.self) ? body : nil }
}

/// The answers to the attempts of several objects, whose edits are read and written together.
final class AnswerGroupAction: OutboxAction {
    let object: EditedObject? = nil
    let concernsOthers = false
    let takesImage = false
    let companions: [Int64]
    private let actions: [AnswerAction]

    /// Creates an action of answers that can be recorded with others.
    init(_ actions: [AnswerAction]) {
        self.actions = actions
        companions = actions.compactMap { $0.object?.key }
    }

    func perform(
        _ queue: inout OutboxQueue, _ context: ActionContext
    ) throws(PersistenceError) {
        for action in actions {
            try action.perform(
                &queue,
                ActionContext(
                    object: action.object, image: nil, tables: context.tables, date: context.date,
                    random: context.random, timing: context.timing))
        }
    }
}
