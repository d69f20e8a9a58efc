// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

@Entity final class Reading: ManagedObject {
    @Identity(form: .lastPathComponent) @MappedKey("url") var id: Int16
    @MappedTransform(ValueTransform<Double>("tenths") { Double($0.int64 ?? 0) / 10 })
    var level: Double
    @MappedTransform(ValueTransform<Date>("year") { Date(timeIntervalSince1970: $0.double ?? 0) })
    var takenAt: Date?
    @MappedPolicy(IssuePolicy(invalidValue: .failObject)) var unit: Int?
    var note: Int?
    @MappedAssignment(.replace) @Inverse(\Mark.reading) var marks: [Mark]
}

@Entity final class Mark: ManagedObject {
    @Identity var id: Int
    var reading: Reading?
}

@Entity private final class Dial: ManagedObject {
    @Identity var id: Int16
}

/// The conversion of values that the properties of a class declare.
@Suite struct PropertyConversionTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func open() async throws -> ManagedObjectStore {
        try await ManagedObjectStore(
            at: files.file, model: ManagedObjectModel([Reading.self, Mark.self]))
    }

    private func rows() throws -> [[String]] {
        try files.rows("SELECT id, level, takenAt IS NULL, unit, note FROM Reading ORDER BY id")
    }

    @Test func transformsReplaceConversionsOfTypes() async throws {
        let store = try await open()
        try await store.load(
            "Reading",
            """
            [{"url": "https://host/readings/7/", "level": 15, "takenAt": 1},
             {"url": "/readings/8?page=1", "level": 20, "takenAt": null}]
            """)
        #expect(
            try rows() == [["7", "1.5", "0", "-", "-"], ["8", "2.0", "1", "-", "-"]])
        // The identity in the URL finds the object again.
        let result = try await store.load("Reading", #"{"url": "/r/8", "level": 30}"#)
        #expect(result.total.found == 1)
    }

    @Test func transformOfMappingTakesPrecedence() async throws {
        let store = try await open()
        var mapping = ObjectMapping(for: Reading.self, ["url": "id"])
        mapping.add(
            AttributeMapping("level", to: "level", using: ValueTransform<Double>("one") { _ in 1 }))
        let plan = try EntityMappingPlan(EntityMapping(mapping), in: store.model)
        let document = try Document(parsing: #"{"url": "/7", "level": 15}"#)
        _ = try await store.importObjects(from: document.root, by: plan)
        #expect(try rows()[0][1] == "1.0")
    }

    @Test func policyIsThatOfProperty() async throws {
        let store = try await open()
        let result = try await store.load(
            "Reading",
            """
            [{"url": "/1", "level": 1, "unit": "none"}, {"url": "/2", "level": 1, "note": "none"}]
            """, policy: IssuePolicy(invalidObject: .drop))
        #expect(result.report.issues.map(\.path.description) == ["[0].unit", "[1].note"])
        #expect(try rows().map { $0[0] } == ["2"])
    }

    @Test func transformOfAnotherTypeIsRefusedByPlan() async throws {
        let store = try await open()
        var mapping = ObjectMapping(for: Reading.self, ["url": "id"])
        mapping.add(
            AttributeMapping(
                "level", to: "level", using: ValueTransform<String>("text") { _ in "" }))
        mapping.add(
            AttributeMapping(
                "takenAt", to: "takenAt", using: ValueTransform<Date>("now") { _ in Date() }))
        let error = #expect(throws: PersistenceError.self) {
            try EntityMappingPlan(EntityMapping(mapping), in: store.model)
        }
        #expect(error?.code == .invalidMapping)
        #expect(
            error?.details == [
                "the transform of Reading.level creates String, but the type of the attribute is "
                    + "Double"
            ])
    }

    @Test func declaredAssignmentIsThatOfDefaultMapping() async throws {
        let store = try await open()
        try await store.load(
            "Reading", #"{"url": "/1", "level": 1, "marks": [{"id": 1}, {"id": 2}]}"#)
        try await store.load("Reading", #"{"url": "/1", "marks": [{"id": 2}, {"id": 3}]}"#)
        #expect(try files.rows("SELECT id FROM Mark ORDER BY id") == [["2"], ["3"]])
    }

    /// The reason why a value is missing, in place of the fact.
    @Test(
        arguments: [
            (
                #"{"url": "/702377", "level": 1}"#,
                "outOfRange at [0].url: Reading.id expected a value that fits id, found string"
            ),
            (
                #"{"url": "/x", "level": 1}"#,
                "typeMismatch at [0].url: Reading.id expected a URL or path that ends with the value "
                    + "of id, found string"
            ), (#"{"level": 1}"#, "missingValue at [0]: Reading.id"),
        ] as [(String, String)])
    func missingIdentityHasReason(text: String, detail: String) async throws {
        let store = try await open()
        let error = await #expect(throws: PersistenceError.self) {
            try await store.load("Reading", "[\(text)]")
        }
        #expect(error?.details == [detail])
    }

    @Test func identityOutOfRangeHasType() async throws {
        let store = try await ManagedObjectStore(at: files.file, entities: Dial.self)
        let error = await #expect(throws: PersistenceError.self) {
            try await store.load("Dial", #"[{"id": 702377}]"#)
        }
        #expect(
            error?.details == [
                "outOfRange at [0].id: Dial.id expected a whole number that fits Int16, found number"
            ])
    }
}
#endif
