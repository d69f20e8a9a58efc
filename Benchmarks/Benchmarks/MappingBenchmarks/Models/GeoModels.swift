// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// The outline of a country.
enum GeoJSON {
    @Mapped struct Collection: Decodable, Equatable {
        let type: String
        let features: [Feature]
    }

    @Mapped struct Feature: Decodable, Equatable {
        let type: String
        let geometry: Geometry
    }

    @Mapped struct Geometry: Decodable, Equatable {
        let type: String
        let coordinates: [[[Double]]]
    }
}
