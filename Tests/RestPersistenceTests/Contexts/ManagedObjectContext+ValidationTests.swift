// SPDX-License-Identifier: Apache-2.0

import RestPersistence
import TestSupport
import Testing

@Suite struct ManagedObjectContextValidationTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func store() async throws -> ManagedObjectStore {
        try await files.open([
            Booking.entity,
            EntityDescription(
                "Human",
                attributes: [AttributeDescription("name", .text, maximumLength: 5)],
                relationships: [.toOne("boss", "Human", isOptional: true)]),
        ])
    }

    @Test(arguments: [
        ("12345", true), ("123456", false), ("ééééé", true), ("e\u{301}e\u{301}e\u{301}", false),
    ])
    func limitsLengthOfText(_ text: String, _ isValid: Bool) async throws {
        let context = try await store().makeContext()
        let human = try context.insert(entity: "Human")
        try human.setValue(text, "name")
        if isValid {
            try await context.save()
            return
        }
        let error = await #expect(throws: PersistenceError.self) { try await context.save() }
        #expect(error?.code == .invalidObject)
        #expect(error?.validationErrors.map(\.code) == [.textTooLong])
        #expect(error?.details == ["\(human.objectID).name is longer than 5 characters"])
        #expect(error?.description.contains(text) == false)
    }

    @Test func reportsAllErrorsAtOnce() async throws {
        let context = try await store().makeContext()
        let human = try context.insert(entity: "Human")
        let long = try context.insert(entity: "Human")
        try long.setValue("too long", "name")
        let booking = try context.insert(Booking.self)
        (booking.start, booking.end) = (2, 1)
        let error = await #expect(throws: PersistenceError.self) { try await context.save() }
        let errors = Set(
            (error?.validationErrors ?? []).map {
                [$0.code.description, "\($0.objectID)", $0.property]
            })
        #expect(
            errors == [
                ["missingValue", "\(human.objectID)", "name"],
                ["textTooLong", "\(long.objectID)", "name"],
                ["custom", "\(booking.objectID)", "end"],
            ])
        #expect(try context.validationErrors().count == 3)
    }

    @Test func validatesInsertsUpdatesAndDeletions() async throws {
        let store = try await store()
        let context = store.makeContext()
        let booking = try context.insert(Booking.self)
        (booking.start, booking.end) = (1, 2)
        try await context.save()
        booking.end = 0
        var error = await #expect(throws: PersistenceError.self) { try await context.save() }
        #expect(error?.validationErrors.map(\.message) == ["is before the start"])
        booking.end = 100
        context.delete(booking)
        error = await #expect(throws: PersistenceError.self) { try await context.save() }
        #expect(error?.validationErrors.map(\.message) == ["is locked"])
        context.rollback()
        #expect(booking.end == 2)
        context.delete(booking)
        try await context.save()
        #expect(try files.rows("SELECT * FROM Booking") == [])
    }
}

private final class Booking: ManagedObject {
    var start: Int {
        get { managedValue(0) }
        set { setManagedValue(0, newValue) }
    }
    var end: Int {
        get { managedValue(1) }
        set { setManagedValue(1, newValue) }
    }
}

extension Booking: ManagedEntity {
    static let entity = EntityDescription(
        Booking.self, [.property("start", \Booking.start), .property("end", \Booking.end)])
}

extension Booking: ValidatingObject {
    func validationErrors(for kind: SaveKind) -> [ValidationError] {
        if kind == .delete { return end == 100 ? [ValidationError(self, "is locked")] : [] }
        guard end < start else { return [] }
        return [ValidationError(self, property: "end", "is before the start")]
    }
}
