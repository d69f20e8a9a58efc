// SPDX-License-Identifier: Apache-2.0

/// The outline of a country, with keys in camel case.
enum GeoJSON {
    struct Collection: Codable, Equatable {
        let type: String
        let features: [Feature]
    }

    struct Feature: Codable, Equatable {
        let type: String
        let geometry: Geometry
    }

    struct Geometry: Codable, Equatable {
        let type: String
        let coordinates: [[[Double]]]
    }
}
