// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestPersistence
import Testing

@Suite struct PersistenceErrorTests {
    static let codes: [PersistenceError.Code] = [
        .invalidModel, .unknownEntity, .unknownProperty, .invalidPredicate, .cannotOpen,
        .notADatabase, .wrongApplicationID, .modelMismatch, .unsupportedFormat, .invalidObject,
        .identityConflict, .relationshipConflict, .objectNotFound, .constraintViolation, .readOnly,
        .busy, .storageFull, .corrupt, .databaseFailure, .invalidMapping, .tooManyOpenFiles,
        .unreadableValue,
    ]

    @Test func localizedDescriptionsAreDistinctSentences() {
        let texts = Self.codes.map { (PersistenceError($0) as any Error).localizedDescription }
        #expect(Set(texts).count == Self.codes.count)
        for (code, text) in zip(Self.codes, texts) {
            #expect(!text.contains("(\(code))"), "\(text)")
        }
    }

    @Test func localizedDescriptionNamesEntityPropertyAndDetails() {
        let error = PersistenceError(
            .unknownProperty, entity: "Airport", property: "nme", details: ["a", "b"])
        #expect(
            error.localizedDescription
                == "The property Airport.nme does not exist or has another type: a; b.")
        #expect(error.description == "unknownProperty in Airport.nme: a; b")
    }

    @Test(arguments: codes)
    func descriptionsHaveNoEmptyParts(_ code: PersistenceError.Code) {
        for entity in [nil, "Airport"] {
            for property in [nil, "name"] {
                for details in [[], ["a detail"]] {
                    let error = PersistenceError(
                        code, entity: entity, property: property, details: details)
                    for text in [error.description, error.localizedDescription] {
                        #expect(!text.contains("  ") && !text.contains(" :"), "\(text)")
                        #expect(!text.contains(" .") && !text.hasSuffix(":"), "\(text)")
                    }
                }
            }
        }
    }
}
