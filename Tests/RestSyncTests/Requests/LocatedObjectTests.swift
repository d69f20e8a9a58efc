// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestKit
import RestTesting
import TestSupport
import Testing

@Entity private final class Folder: ManagedObject {
    @Identity var code: String?
    var name: String
}

@Entity private final class Device: ManagedObject {
    @Identity @MappedKey("device.uid") var id: UUID?
    var name: String
}

@Entity private final class Meter: ManagedObject {
    @Identity var number: UInt64?
    var name: String
}

/// Identities of new objects, which only the `Location` field of a response has.
@MainActor @Suite struct LocatedObjectTests {
    private let files: TemporaryStore

    init() async throws {
        files = try await TemporaryStore([Folder.self, Device.self, Meter.self])
    }

    private func manager(_ location: String, at baseURL: String) throws -> ObjectManager {
        let transport = StubTransport { request in
            .stub(.created, headerFields: [.location: location], to: request)
        }
        let api = ObjectManager(client: try HTTPClient(baseURL: baseURL, transport: transport))
        try api.setRequestFormat(.json)
        try api.add(
            Route(Folder.self, "folders", methods: .post), Route(Folder.self, "folders/:code"),
            Route(Device.self, "sites/1/devices", methods: .post),
            Route(Device.self, "sites/1/devices/:id"),
            Route(Meter.self, "meters", methods: .post), Route(Meter.self, "meters/:number"))
        return api
    }

    @Test(arguments: [
        ("https://api.example.com/", "/folders/a%20b"),
        ("https://api.example.com/v1/", "/v1/folders/a%20b"),
        ("https://api.example.com/v1/", "https://api.example.com/v1/folders/a%20b?new=1"),
        ("https://api.example.com/v1/", "folders/a%20b"),
    ])
    func pathBelowBaseURLHasTextIdentity(baseURL: String, location: String) async throws {
        let folder = try Folder.insert(into: files.store.mainContext, name: "F")
        try await manager(location, at: baseURL).post(folder)
        #expect(folder.code == "a b")
        #expect(folder.name == "F")
    }

    @Test func identityHasAnotherKeyInRepresentations() async throws {
        let device = try Device.insert(into: files.store.mainContext, name: "D")
        let id = UUID()
        try await manager("/sites/1/devices/\(id)", at: "https://api.example.com/").post(device)
        #expect(device.id == id)
    }

    @Test func numberIsLargerThanSignedOnes() async throws {
        let meter = try Meter.insert(into: files.store.mainContext, name: "M")
        try await manager("/meters/\(UInt64.max)", at: "https://api.example.com/").post(meter)
        #expect(meter.number == .max)
    }

    @Test(arguments: ["/sites/1/devices/7", "/sites/2/devices/\(UUID())", "/devices/\(UUID())"])
    func otherPathsHaveNoIdentity(location: String) async throws {
        let device = try Device.insert(into: files.store.mainContext, name: "D")
        _ = try? await manager(location, at: "https://api.example.com/").post(device)
        #expect(device.id == nil)
        #expect(device.name == "D")
    }
}
