// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// Types with the names of entities.
enum Plain {
    @Mapped struct Airport {
        var name: String
        var code: String
    }
}

/// The entity and the class that a mapping is for, and its identification attributes.
@Suite struct EntityMappingSubjectTests {
    private static func airports() throws -> ManagedObjectModel {
        try ManagedObjectModel(TemporaryStore.airportEntities)
    }

    private static func error(
        _ mapping: some MappingConvertible, in model: ManagedObjectModel
    ) -> PersistenceError? {
        #expect(throws: PersistenceError.self) {
            _ = try EntityMappingPlan(EntityMapping(mapping), in: model)
        }
    }

    @Test(.parity("K017")) func refusesMappingWithoutEntity() throws {
        let humans = try ManagedObjectModel(HumanEntities.all)
        let missing = Self.error(ObjectMapping(for: City.self), in: humans)
        #expect(missing?.code == .unknownEntity)
        #expect(missing?.entity == "City")
        // The entity of a related object.
        var airport = ObjectMapping(for: Airport.self, ["code": "code"])
        airport.add(RelationshipMapping("city", to: "city"))
        let lonely = try ManagedObjectModel([
            EntityDescription("Airport", attributes: [AttributeDescription("code", .text)])
        ])
        #expect(Self.error(airport, in: lonely)?.code == .unknownEntity)
        // A plain type is no class of an entity, whatever its name is.
        #expect(
            Self.error(ObjectMapping(for: Plain.Airport.self), in: humans)?.code
                == .unknownEntity)
    }

    @Test(.parity("K017")) func refusesPlainTypeWithNameOfEntity() throws {
        let error = Self.error(ObjectMapping(for: Plain.Airport.self), in: try Self.airports())
        #expect(error?.code == .invalidMapping)
        #expect(
            error?.details == [
                "Airport is a plain type with the name of an entity: map the class of the entity, or "
                    + "its properties in the model"
            ])
    }

    @Test(.parity("K017")) func refusesClassOfOtherModel() throws {
        // Without the class, and with other properties at the same indices.
        let model = try ManagedObjectModel([
            EntityDescription(
                "Airline",
                attributes: [
                    AttributeDescription("name", .text), AttributeDescription("code", .text),
                ])
        ])
        let error = Self.error(ObjectMapping(for: Airline.self, ["code": "code"]), in: model)
        #expect(error?.code == .invalidMapping)
        #expect(
            error?.details == [
                "Airline has other properties in the model: map the class of the model's entity, or "
                    + "its properties in the model"
            ])
        let table = try #require(model.properties(of: "Airline"))
        _ = try EntityMappingPlan(EntityMapping(ObjectMapping(defaultFor: table)), in: model)
    }

    @Test(.parity("K018")) func namesAndKeyPathsIdentifyAlike() throws {
        let model = try Self.airports()
        var named = EntityMapping(Airport.self)
        named.rules["Airport"] = EntityRules(
            identification: ["name", "code"], modificationAttribute: "passengers")
        var typed = EntityMapping(Airport.self)
        typed.rules["Airport"] = EntityRules(modificationAttribute: "passengers")
        typed.identify(Airport.self, by: \.name, \.code)
        #expect(typed.rules["Airport"]?.modificationAttribute == "passengers")
        for mapping in [named, typed] {
            let plan = try EntityMappingPlan(mapping, in: model)
            // Descriptions, however the attributes were given.
            let attributes: [AttributeDescription] = plan.identification(of: "Airport")
            #expect(attributes.map(\.name) == ["name", "code"])
            #expect(attributes.map(\.isIdentity) == [false, true])
            #expect(attributes.allSatisfy { $0.type == .text })
        }
        let declared = try EntityMappingPlan(EntityMapping(Airport.self), in: model)
        #expect(declared.identification(of: "Airport").map(\.name) == ["code"])
        #expect(declared.identification(of: "Nothing").isEmpty)
    }

    @Test(.parity("K018")) func refusesPropertyThatIsNoAttribute() throws {
        var mapping = EntityMapping(Airport.self)
        mapping.identify(Airport.self, by: \.city)
        let error = #expect(throws: PersistenceError.self) {
            _ = try EntityMappingPlan(mapping, in: Self.airports())
        }
        #expect(error?.code == .invalidMapping)
        #expect(error?.details == ["Airport.city is not an attribute"])
    }

    #if Macros && os(Linux)
    @Test(.parity("K017", "K018")) func refusesOtherTypesWhenCompiled() throws {
        let errors = try SwiftCompiler.errors(
            in: [
                "plain type": "func plain() { _ = EntityMapping(Plain.self) }",
                "attribute of another entity": """
                func identify(_ mapping: inout EntityMapping) {
                    mapping.identify(Airport.self, by: \\City.name)
                }
                """,
                "attribute": """
                func identifyBoth(_ mapping: inout EntityMapping) {
                    mapping.identify(Airport.self, by: \\.code, \\Airport.name)
                }
                """,
                "plain object of an entity": """
                func object(_ plan: MappingPlan, _ node: Node) throws {
                    _ = try plan.object(Airport.self, from: node)
                }
                """,
            ],
            after: """
                import RestDocument
                import RestMapping
                import RestPersistence

                @Entity final class Airport: ManagedObject {
                    @Identity var code: String
                    var name: String
                }
                @Entity final class City: ManagedObject {
                    var name: String
                }
                @Mapped struct Plain {
                    var name: String
                }
                """)
        #expect(
            errors.keys.sorted() == [
                "attribute of another entity", "plain object of an entity", "plain type",
            ])
        #expect(errors["plain object of an entity"]?.contains { $0.contains("Airport") } == true)
    }
    #endif
}
