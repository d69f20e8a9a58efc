// SPDX-License-Identifier: Apache-2.0

import RestPersistence
import TestSupport
import Testing

/// Rows of one save that take identities of each other.
@Suite struct IdentityExchangeTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Inserts and saves airports with codes, and terminals with the numbers of their places.
    private func objects(
        _ codes: [String], in context: ManagedObjectContext
    ) throws -> [(airport: Airport, terminal: Terminal)] {
        let objects = try codes.enumerated().map { number, code in
            let (airport, terminal) = (
                try context.insert(Airport.self), try context.insert(Terminal.self)
            )
            (airport.code, airport.name, terminal.number) = (code, code, number)
            return (airport, terminal)
        }
        try context.save()
        return objects
    }

    private func airports() throws -> [[String]] {
        try files.rows("SELECT name, code FROM Airport ORDER BY name")
    }

    @Test(arguments: [["B", "A", "C"], ["B", "C", "A"], ["B", "C", "D"], ["D", "A", "B"]])
    func exchangesIdentities(codes: [String]) async throws {
        let context = try await files.open().makeContext()
        let objects = try objects(["A", "B", "C"], in: context)
        for (object, code) in zip(objects, codes) {
            object.airport.code = code
            object.terminal.number = Int(code.utf8.first ?? 0) - 65
        }
        // Other columns of one of them, so that the statements differ.
        objects[1].airport.passengers = 7
        let report = try await context.save()
        #expect(
            report.updated == 2 * zip(codes, ["A", "B", "C"]).count { $0 != $1 }
                + (codes[1] == "B" ? 1 : 0))
        #expect(try airports() == [["A", codes[0]], ["B", codes[1]], ["C", codes[2]]])
        #expect(
            try files.rows("SELECT number FROM Terminal ORDER BY restkit_key").map { $0[0] }
                == codes.map { String(Int($0.utf8.first ?? 0) - 65) })
        #expect(
            try files.rows("SELECT passengers FROM Airport ORDER BY name").map { $0[0] }
                == ["0", "7", "0"])
    }

    @Test func identityOfUnchangedRowIsConflict() async throws {
        let context = try await files.open().makeContext()
        let objects = try objects(["A", "B", "C"], in: context)
        (objects[0].airport.code, objects[1].airport.code) = ("B", "C")
        let error = await #expect(throws: PersistenceError.self) { try await context.save() }
        #expect(error?.code == .identityConflict)
        #expect(error?.entity == "Airport" && error?.property == "code")
        #expect(error?.conflicts.map(\.objectID) == [objects[1].airport.objectID])
        #expect(
            error?.details
                == ["another object has the value of \(objects[1].airport.objectID).code"])
        #expect(try airports() == [["A", "A"], ["B", "B"], ["C", "C"]])
        objects[2].airport.code = "A"
        try await context.save()
        #expect(try airports() == [["A", "B"], ["B", "C"], ["C", "A"]])
    }
}
