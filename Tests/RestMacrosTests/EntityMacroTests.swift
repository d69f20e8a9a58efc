// SPDX-License-Identifier: Apache-2.0

#if Macros
import Testing

@Suite struct EntityMacroTests {
    @Test func describesAndNumbersProperties() {
        expectExpansion(
            of: #"""
                @Entity public final class Airport: ManagedObject {
                    @Identity public var code: String
                    @MappedKey("opened_at") var openedAt: Date?
                    var passengers: Int = 0
                    @Inverse(\Terminal.airport) var terminals: Set<Terminal>
                    @MappedIgnored var isSelected = false
                    @Inverse("others") var others: Set<Airport> = []
                }
                """#,
            to: #"""
                public final class Airport: ManagedObject {
                    @RestPersistence.ManagedProperty(0) public var code: String
                    @RestPersistence.ManagedProperty(1) var openedAt: Date?
                    @RestPersistence.ManagedProperty(2)
                    var passengers: Int = 0
                    @RestPersistence.ManagedProperty(3) var terminals: Set<Terminal>
                    var isSelected = false
                    @RestPersistence.ManagedProperty(4) var others: Set<Airport> = []

                    public static let entity = RestPersistence.EntityDescription(Airport.self, [
                        .property("code", \Airport.code, isIdentity: true),
                        .property("openedAt", \Airport.openedAt, sourceKey: "opened_at"),
                        .property("passengers", \Airport.passengers, default: 0),
                        .property("terminals", \Airport.terminals, inverse: \Terminal.airport),
                        .property("others", \Airport.others, inverse: \Airport.others)])
                }

                nonisolated extension Airport: RestPersistence.ManagedEntity {
                }
                """#)
    }

    @Test func generatesAccessorsByIndex() {
        expectExpansion(
            of: "@ManagedProperty(3) var name: String = \"\"",
            to: """
                var name: String {
                    get {
                        self.managedValue(3)
                    }
                    set {
                        self.setManagedValue(3, newValue)
                    }
                }
                """)
    }

    @Test func usesGivenEntityName() {
        expectExpansion(
            of: """
                @available(macOS 99, *)
                @Entity(name: "airport") final class Airport: ManagedObject {
                }
                """,
            to: """
                @available(macOS 99, *)
                final class Airport: ManagedObject {

                    static let entity = RestPersistence.EntityDescription(Airport.self, name: "airport", [])
                }

                @available(macOS 99, *)
                nonisolated extension Airport: RestPersistence.ManagedEntity {
                }
                """)
    }
}
#endif
