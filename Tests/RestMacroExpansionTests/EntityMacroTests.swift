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
                    @MaximumLength(80) public var name: String
                    @Indexed public var passengers: Int = 0
                    @DeleteRule(.cascade) public var terminals: [Terminal]
                    @MappedIgnored var isSelected = false
                    @MappedIgnored lazy var title = name
                    @Inverse("others") public var others: Set<Airport> = []
                    public var city: City?
                }
                """#,
            to: #"""
                public final class Airport: ManagedObject {
                    @RestPersistence.ManagedProperty(0) public var code: String
                    @RestPersistence.ManagedProperty(1) var openedAt: Date?
                    @RestPersistence.ManagedProperty(2) public var name: String
                    @RestPersistence.ManagedProperty(3) public var passengers: Int = 0
                    @RestPersistence.ManagedProperty(4) public var terminals: [Terminal]
                    var isSelected = false
                    lazy var title = name
                    @RestPersistence.ManagedProperty(5) public var others: Set<Airport> = []
                    @RestPersistence.ManagedProperty(6)
                    public var city: City?

                    public static let entity = RestPersistence.EntityDescription(Airport.self, [
                        .property("code", \Airport.code, isIdentity: true),
                        .property("openedAt", \Airport.openedAt, sourceKey: "opened_at"),
                        .property("name", \Airport.name, maximumLength: 80),
                        .property("passengers", \Airport.passengers, isIndexed: true, default: 0),
                        .property("terminals", \Airport.terminals, deleteRule: .cascade),
                        .property("others", \Airport.others, default: [], inverse: "others"),
                        .property("city", \Airport.city)])

                    @discardableResult
                    public static func insert(
                        into managedContext: RestPersistence.ManagedObjectContext,
                        code: String,
                        name: String,
                        passengers: Int = 0,
                        terminals: [Terminal] = [],
                        others: Set<Airport> = [],
                        city: City? = nil
                    ) throws(RestPersistence.PersistenceError) -> Airport {
                        var managedValues = try RestPersistence.InitialValues(Airport.self, in: managedContext)
                        managedValues.set(0, code)
                        managedValues.set(2, name)
                        managedValues.set(3, passengers)
                        managedValues.set(4, terminals)
                        managedValues.set(5, others)
                        managedValues.set(6, city)
                        return try managedValues.insert()
                    }

                    nonisolated public struct Values: RestPersistence.ManagedValues {
                        public typealias Object = Airport
                        public let managedRow: RestPersistence.ManagedRow
                        public init(managedRow: RestPersistence.ManagedRow) {
                            self.managedRow = managedRow
                        }
                        public var code: String {
                            managedRow.value(0)
                        }
                        var openedAt: Date? {
                            managedRow.value(1)
                        }
                        public var name: String {
                            managedRow.value(2)
                        }
                        public var passengers: Int {
                            managedRow.value(3)
                        }
                        public struct Fields: RestPersistence.ManagedFields {
                            public init() {
                            }
                            public var city: RestPersistence.ManagedField<City?> {
                            .init(6)
                        }
                        }
                        private static func requireProperties() {
                            #sourceLocation(file: "test.swift", line: 9)
                            let inverse5 = RestPersistence.PropertyLookup<Airport>.property(\.others)
                            #sourceLocation(file: "test.swift", line: 9)
                            inverse5.inverse(leadingTo: Airport.self)
                            #sourceLocation()
                        }
                    }
                }

                nonisolated extension Airport: RestPersistence.ManagedEntity {
                }
                """#)
    }

    @Test func describesClassesOfHierarchy() {
        expectExpansion(
            of: """
                @Entity class Dog: Animal {
                    var breed: Breed
                    private var secret: Int = 1
                }
                """,
            to: #"""
                class Dog: Animal {
                    @RestPersistence.ManagedProperty(0, inSubentity: true)
                    var breed: Breed
                    @RestPersistence.ManagedProperty(1, inSubentity: true)
                    private var secret: Int = 1

                    override class var entity: RestPersistence.EntityDescription {
                        Values.entity
                    }

                    @discardableResult
                    class func insert(
                        into managedContext: RestPersistence.ManagedObjectContext,
                        breed: Breed
                    ) throws(RestPersistence.PersistenceError) -> Self {
                        var managedValues = try RestPersistence.InitialValues(self, in: managedContext)
                        managedValues.set(Values.propertyOffset + 0, breed)
                        return try managedValues.insert()
                    }

                    nonisolated struct Values: RestPersistence.ManagedValues {
                        typealias Object = Dog
                        let managedRow: RestPersistence.ManagedRow
                        init(managedRow: RestPersistence.ManagedRow) {
                            self.managedRow = managedRow
                        }
                        fileprivate static let entity = RestPersistence.EntityDescription(Dog.self, inheriting: Animal.self, properties(of: Dog.self))
                        fileprivate static let propertyOffset = Animal.entity.propertyCount
                        static func properties<Subentity: Dog>(
                            of type: Subentity.Type
                        ) -> [RestPersistence.EntityProperty<Subentity>] {
                            RestPersistence.EntityProperty.inheriting(Animal.Values.properties(of: Subentity.self), [
                            .property("breed", \Subentity.breed),
                            .property("secret", \Subentity.secret, default: 1).hidden])
                        }
                        var id: Animal.Values.ID {
                            Animal.Values(managedRow: managedRow).id
                        }
                        subscript <Value>(
                            dynamicMember path: Swift.KeyPath<Animal.Values, Value>
                        ) -> Value {
                            let values = Animal.Values(managedRow: managedRow)
                            return values[keyPath: path]
                        }
                        var breed: Breed {
                            managedRow.value(Values.propertyOffset + 0)
                        }
                    }
                }
                """#)
    }

    @Test func inheritsInsertionWithoutRequiredProperties() {
        expectExpansion(
            of: """
                @Entity final class Dog: Animal {
                }
                """,
            to: #"""
                final class Dog: Animal {

                    override class var entity: RestPersistence.EntityDescription {
                        Values.entity
                    }

                    nonisolated struct Values: RestPersistence.ManagedValues {
                        typealias Object = Dog
                        let managedRow: RestPersistence.ManagedRow
                        init(managedRow: RestPersistence.ManagedRow) {
                            self.managedRow = managedRow
                        }
                        fileprivate static let entity = RestPersistence.EntityDescription(Dog.self, inheriting: Animal.self, Animal.Values.properties(of: Dog.self))
                        fileprivate static let propertyOffset = Animal.entity.propertyCount
                        var id: Animal.Values.ID {
                            Animal.Values(managedRow: managedRow).id
                        }
                        subscript <Value>(
                            dynamicMember path: Swift.KeyPath<Animal.Values, Value>
                        ) -> Value {
                            let values = Animal.Values(managedRow: managedRow)
                            return values[keyPath: path]
                        }
                    }
                }
                """#)
    }

    /// References, former names and searchable attributes are part of the description only.
    @Test func describesReferencesAndFormerNames() {
        expectExpansion(
            of: #"""
                @Entity(renamedFrom: ["Airfield"]) final class Airport: ManagedObject {
                    @Searchable @Renamed(from: "title", "label") var name: String?
                    @Reference(by: \City.code, missing: .placeholder) var city: City?
                    @Connected("airline_urls", form: .lastPathComponent) var airlines: Set<Airline>
                    @Reference @MappedKey("twin_id") @Renamed(from: "sister") var twin: Airport?
                }
                """#,
            to: #"""
                final class Airport: ManagedObject {
                    \#("")
                    @RestPersistence.ManagedProperty(0) var name: String?
                    @RestPersistence.ManagedProperty(1) var city: City?
                    @RestPersistence.ManagedProperty(2) var airlines: Set<Airline>
                    \#("")
                    @RestPersistence.ManagedProperty(3) var twin: Airport?

                    static let entity = RestPersistence.EntityDescription(Airport.self, renamedFrom: ["Airfield"], [
                        .property("name", \Airport.name, isSearchable: true, renamedFrom: ["title", "label"]),
                        .property("city", \Airport.city, reference: RestPersistence.ReferenceDescription(by: "code", missing: .placeholder)),
                        .property("airlines", \Airport.airlines, sourceKey: "airline_urls", reference: RestPersistence.ReferenceDescription(form: .lastPathComponent)),
                        .property("twin", \Airport.twin, sourceKey: "twin_id", reference: RestPersistence.ReferenceDescription(), renamedFrom: ["sister"])])

                    @discardableResult
                    static func insert(
                        into managedContext: RestPersistence.ManagedObjectContext,
                        name: String? = nil,
                        city: City? = nil,
                        airlines: Set<Airline> = [],
                        twin: Airport? = nil
                    ) throws(RestPersistence.PersistenceError) -> Airport {
                        var managedValues = try RestPersistence.InitialValues(Airport.self, in: managedContext)
                        managedValues.set(0, name)
                        managedValues.set(1, city)
                        managedValues.set(2, airlines)
                        managedValues.set(3, twin)
                        return try managedValues.insert()
                    }

                    nonisolated struct Values: RestPersistence.ManagedValues {
                        typealias Object = Airport
                        let managedRow: RestPersistence.ManagedRow
                        init(managedRow: RestPersistence.ManagedRow) {
                            self.managedRow = managedRow
                        }
                        var name: String? {
                            managedRow.value(0)
                        }
                        var city: RestPersistence.ManagedObjectID? {
                            managedRow.value(1)
                        }
                        var twin: RestPersistence.ManagedObjectID? {
                            managedRow.value(3)
                        }
                        private static func requireProperties() {
                            #sourceLocation(file: "test.swift", line: 3)
                            let attribute1 = RestPersistence.PropertyLookup<City>().code
                            #sourceLocation(file: "test.swift", line: 3)
                            attribute1.referenceAttribute()
                            #sourceLocation()
                        }
                    }
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
        expectExpansion(
            of: "@ManagedProperty(3, inSubentity: true) var name: String",
            to: """
                var name: String {
                    get {
                        self.managedValue(Values.propertyOffset + 3)
                    }
                    set {
                        self.setManagedValue(Values.propertyOffset + 3, newValue)
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

                    @discardableResult
                    static func insert(
                        into managedContext: RestPersistence.ManagedObjectContext
                    ) throws(RestPersistence.PersistenceError) -> Airport {
                        try managedContext.insert(Airport.self)
                    }

                    nonisolated struct Values: RestPersistence.ManagedValues {
                        typealias Object = Airport
                        let managedRow: RestPersistence.ManagedRow
                        init(managedRow: RestPersistence.ManagedRow) {
                            self.managedRow = managedRow
                        }
                    }
                }

                @available(macOS 99, *)
                nonisolated extension Airport: RestPersistence.ManagedEntity {
                }
                """)
    }
}
#endif
