// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import RestPersistence
import TestSupport
import Testing

/// Values that a column cannot store: NaN, numbers that JSON does not have, and dates outside of the years
/// 0 to 9999.
@Suite struct UnstorableValueTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    struct Assignment: Sendable, CustomTestStringConvertible {
        let name: String
        let isReadable: Bool
        let set: @Sendable (Sample) -> Void
        let reset: @Sendable (Sample) -> Void
        /// Returns a Boolean value that indicates whether the object has the value.
        let isSet: @Sendable (Sample) -> Bool
        var testDescription: String { name }

        init<Value: Sendable>(
            _ name: String, _ path: any ReferenceWritableKeyPath<Sample, Value> & Sendable,
            _ value: Value, _ initial: Value, isSet: (@Sendable (Value) -> Bool)? = nil
        ) {
            self.name = name
            isReadable = isSet != nil
            set = { $0[keyPath: path] = value }
            reset = { $0[keyPath: path] = initial }
            self.isSet = { isSet?($0[keyPath: path]) ?? true }
        }
    }

    static let assignments = [
        Assignment("ratio", \.ratio, .nan, 0, isSet: { $0.isNaN }),
        Assignment("weight", \.weight, .nan, 0, isSet: { $0.isNaN }),
        Assignment("price", \.price, .nan, 0, isSet: { $0.isNaN }),
        Assignment("error", \.error, .nan, nil, isSet: { $0?.isNaN == true }),
        Assignment("series", \.series, [1, .nan], []),
        Assignment("series", \.series, [.infinity], []),
        Assignment("limits", \.limits, ["upper": .infinity], [:]),
        Assignment("range", \.range, SampleRange(lower: 0, upper: .infinity), nil),
        Assignment("takenAt", \.takenAt, future, nil, isSet: { $0 == future }),
        Assignment("takenAt", \.takenAt, past, nil, isSet: { $0 == past }),
        Assignment("dates", \.dates, [future], []),
    ]

    /// The first moments outside of the years 0 to 9999.
    private static let future = Date(timeIntervalSince1970: 253_402_300_800)
    private static let past = Date(timeIntervalSince1970: -62_167_219_201)

    @Test func storesFirstAndLastDate() async throws {
        let store = try await ManagedObjectStore(at: files.file, entities: Sample.self)
        let context = store.makeContext()
        for (number, seconds) in [-62_167_219_200, 253_402_300_799.5].enumerated() {
            try Sample.insert(
                into: context, number: number, takenAt: Date(timeIntervalSince1970: seconds))
        }
        try await context.save()
        #expect(
            try files.rows("SELECT takenAt FROM Sample ORDER BY number")
                == [["0000-01-01T00:00:00.000000Z"], ["9999-12-31T23:59:59.500000Z"]])
    }

    @Test(arguments: [false, true])
    func comparesDatesThatHaveNoColumn(isSaved: Bool) async throws {
        let store = try await ManagedObjectStore(at: files.file, entities: Sample.self)
        let context = store.makeContext()
        for (number, date) in [Date(timeIntervalSince1970: 0), .distantFuture, nil].enumerated() {
            try Sample.insert(into: context, number: number, takenAt: date)
        }
        if isSaved { try await context.save() }
        func count(_ predicate: (FetchSubject<Sample>) -> FetchPredicate) throws -> Int {
            try context.count(Sample.self, where: predicate)
        }
        let (past, future) = (Self.past, Self.future)
        #expect(try count { $0.takenAt < future } == 2)
        #expect(try count { $0.takenAt <= past } == 0)
        #expect(try count { $0.takenAt > past } == 2)
        #expect(try count { $0.takenAt >= future } == 0)
        #expect(try count { $0.takenAt == future } == 0)
        #expect(try count { $0.takenAt != past } == 3)
        #expect(try count { $0.takenAt.isIn([past, nil]) } == 1)
        #expect(try count { !($0.takenAt < future) } == 1)
    }

    @Test(arguments: assignments, [false, true])
    func saveNamesUnstorableValue(_ assignment: Assignment, isNew: Bool) async throws {
        let store = try await ManagedObjectStore(at: files.file, entities: Sample.self)
        let context = store.makeContext()
        let sample = try context.insert(Sample.self)
        sample.number = 1
        if !isNew { try await context.save() }
        assignment.set(sample)
        #expect(assignment.isSet(sample))
        #expect(context.hasChanges)
        // A fetch is possible, and returns the object.
        #expect(try context.fetch(Sample.self) == [sample])
        #expect(assignment.isSet(sample))
        for _ in 0..<2 {
            let error = await #expect(throws: PersistenceError.self) { try await context.save() }
            #expect(error?.code == .invalidObject)
            #expect(error?.validationErrors.map(\.code) == [.unstorableValue])
            #expect(error?.validationErrors.map(\.property) == [assignment.name])
            #expect(error?.validationErrors.map(\.objectID) == [sample.objectID])
        }
        assignment.reset(sample)
        try await context.save()
        #expect(try files.rows("SELECT number FROM Sample") == [["1"]])
    }

    @Test func settingSameNaNAgainIsNoChange() async throws {
        let store = try await ManagedObjectStore(at: files.file, entities: Sample.self)
        let context = store.makeContext()
        let sample = try context.insert(Sample.self)
        sample.number = 1
        sample.weight = .nan
        sample.weight = -.nan
        #expect(sample.weight.isNaN)
        sample.weight = .infinity
        try await context.save()
        #expect(sample.weight == .infinity)
        #expect(try context.count(Sample.self, where: { $0.weight == .infinity }) == 1)
    }

    @Test func predicateWithNaNFollowsIEEE754() async throws {
        let store = try await ManagedObjectStore(at: files.file, entities: Sample.self)
        let context = store.makeContext()
        for number in 1...2 {
            let sample = try context.insert(Sample.self)
            (sample.number, sample.error) = (number, number == 1 ? 1 : nil)
        }
        try await context.save()
        #expect(try context.count(Sample.self, where: { $0.weight == .nan }) == 0)
        #expect(try context.count(Sample.self, where: { $0.weight < .nan }) == 0)
        #expect(try context.count(Sample.self, where: { $0.error == .nan }) == 0)
        #expect(try context.count(Sample.self, where: { $0.weight != .nan }) == 2)
    }
}
#endif
