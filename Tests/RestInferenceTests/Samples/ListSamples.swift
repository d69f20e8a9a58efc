// SPDX-License-Identifier: Apache-2.0

import RestInference

extension Sample {
    /// APIs whose lists differ in their envelopes and pages.
    static let lists: [Sample] = [
        Sample(
            "Star Wars",
            [
                Response(
                    "https://swapi.dev/api/people/",
                    #"""
                    {"count": 82, "next": "https://swapi.dev/api/people/?page=2", "previous": null, "results": [
                    {"name": "Luke Skywalker", "height": "172", "homeworld": "https://swapi.dev/api/planets/1/",
                     "films": ["https://swapi.dev/api/films/1/", "https://swapi.dev/api/films/2/"],
                     "created": "2014-12-09T13:50:51.644000Z", "url": "https://swapi.dev/api/people/1/"},
                    {"name": "C-3PO", "height": "167", "homeworld": "https://swapi.dev/api/planets/1/",
                     "films": ["https://swapi.dev/api/films/1/"],
                     "created": "2014-12-10T15:10:51.357000Z", "url": "https://swapi.dev/api/people/2/"},
                    {"name": "R2-D2", "height": "96", "homeworld": "https://swapi.dev/api/planets/8/", "films": [],
                     "created": "2014-12-10T15:11:50.376000Z", "url": "https://swapi.dev/api/people/3/"}]}
                    """#),
                Response(
                    "https://swapi.dev/api/planets/",
                    #"""
                    {"count": 60, "next": "https://swapi.dev/api/planets/?page=2", "previous": null, "results": [
                    {"name": "Tatooine", "population": "200000", "residents": ["https://swapi.dev/api/people/1/",
                     "https://swapi.dev/api/people/2/"], "url": "https://swapi.dev/api/planets/1/"},
                    {"name": "Naboo", "population": "4500000000", "residents": ["https://swapi.dev/api/people/3/"],
                     "url": "https://swapi.dev/api/planets/8/"}]}
                    """#),
                Response(
                    "https://swapi.dev/api/films/",
                    #"""
                    {"count": 6, "next": null, "previous": null, "results": [
                    {"title": "A New Hope", "episode_id": 4, "release_date": "1977-05-25",
                     "characters": ["https://swapi.dev/api/people/1/", "https://swapi.dev/api/people/3/"],
                     "url": "https://swapi.dev/api/films/1/"},
                    {"title": "The Empire Strikes Back", "episode_id": 5, "release_date": "1980-05-17",
                     "characters": ["https://swapi.dev/api/people/1/"], "url": "https://swapi.dev/api/films/2/"}]}
                    """#),
            ],
            """
            entity Person url
            entity Planet url
            entity Film url
            relation Person.homeworld one Planet
            relation Person.films many Film
            relation Planet.residents many Person
            relation Film.characters many Person
            type Person.name text
            type Person.height text
            type Person.created date
            type Person.url url
            type Planet.name text
            type Planet.population text
            type Planet.url url
            type Film.title text
            type Film.episode_id integer
            type Film.release_date day
            type Film.url url
            page people json_link next
            page planets json_link next
            page films json_link next
            records people results
            records planets results
            records films results
            """),
        Sample(
            "GitHub repositories",
            [
                Response(
                    "https://api.github.com/orgs/swiftlang/repos?per_page=2",
                    #"""
                    [{"id": 44838949, "name": "swift", "full_name": "swiftlang/swift", "private": false,
                      "owner": {"login": "swiftlang", "id": 42816656, "type": "Organization", "site_admin": false},
                      "html_url": "https://github.com/swiftlang/swift", "fork": false,
                      "issues_url": "https://api.github.com/repos/swiftlang/swift/issues{/number}",
                      "created_at": "2015-10-23T21:15:07Z", "stargazers_count": 67000, "language": "C++",
                      "license": {"key": "apache-2.0", "name": "Apache License 2.0", "spdx_id": "Apache-2.0"}},
                     {"id": 44881915, "name": "swift-package-manager", "full_name": "swiftlang/swift-package-manager",
                      "private": false, "owner": {"login": "swiftlang", "id": 42816656, "type": "Organization",
                      "site_admin": false}, "html_url": "https://github.com/swiftlang/swift-package-manager",
                      "fork": false, "issues_url": "https://api.github.com/repos/swiftlang/swift-pm/issues{/number}",
                      "created_at": "2015-10-24T19:36:20Z", "stargazers_count": 9700, "language": null,
                      "license": {"key": "apache-2.0", "name": "Apache License 2.0", "spdx_id": "Apache-2.0"}}]
                    """#,
                    fields: [
                        HeaderField(
                            "Link",
                            #"<https://api.github.com/organizations/1/repos?per_page=2&page=2>; rel="next", <https://api.github.com/organizations/1/repos?per_page=2&page=20>; rel="last""#
                        )
                    ])
            ],
            """
            entity Repo id
            entity Organization id
            entity License key
            relation Repo.owner one Organization
            relation Repo.license one License
            type Repo.id integer
            type Repo.name text
            type Repo.full_name text
            type Repo.private boolean
            type Repo.html_url url
            type Repo.fork boolean
            type Repo.issues_url text
            type Repo.created_at date
            type Repo.stargazers_count integer
            type Repo.language text
            type Organization.login text
            type Organization.id integer
            type Organization.type text
            type Organization.site_admin boolean
            type License.key text
            type License.name text
            type License.spdx_id text
            page repos header_link
            records repos $
            """),
        Sample(
            "Stripe charges",
            [
                Response(
                    "https://api.stripe.com/v1/charges?limit=3",
                    #"""
                    {"object": "list", "url": "/v1/charges", "has_more": true, "data": [
                    {"id": "ch_3MmlLrLkdIwHu7ix0snN0B15", "object": "charge", "amount": 1099, "currency": "usd",
                     "created": 1679090539, "paid": true, "metadata": {}, "customer": "cus_NffrFeUfNV2Hib",
                     "payment_method_details": {"card": {"brand": "visa", "last4": "4242"}, "type": "card"}},
                    {"id": "ch_3MmlLrLkdIwHu7ix0snN0B16", "object": "charge", "amount": 250, "currency": "eur",
                     "created": 1679090600, "paid": true, "metadata": {"order": "17"},
                     "customer": {"id": "cus_NffrFeUfNV2Hic", "object": "customer", "email": "a@example.com",
                      "name": null, "created": 1680893993},
                     "payment_method_details": {"card": {"brand": "visa", "last4": "1881"}, "type": "card"}},
                    {"id": "ch_3MmlLrLkdIwHu7ix0snN0B17", "object": "charge", "amount": 99, "currency": "eur",
                     "created": 1679090700, "paid": false, "metadata": {}, "customer": "cus_NffrFeUfNV2Hib",
                     "payment_method_details": {"card": {"brand": "amex", "last4": "0005"}, "type": "card"}}]}
                    """#)
            ],
            """
            entity Charge id
            entity Customer id
            relation Charge.customer one Customer
            type Charge.id text
            type Charge.object text
            type Charge.amount integer
            type Charge.currency text
            type Charge.created integer
            type Charge.paid boolean
            type Charge.metadata json
            type Charge.payment_method_details_card_brand text
            type Charge.payment_method_details_card_last4 text
            type Charge.payment_method_details_type text
            type Customer.id text
            type Customer.object text
            type Customer.email text
            type Customer.name auto
            type Customer.created integer
            page charges last_identity id starting_after
            records charges data
            """),
        Sample(
            "JSON:API",
            [
                Response(
                    "https://api.example.com/v1/articles?include=author",
                    #"""
                    {"links": {"self": "/articles", "next": "/articles?page[offset]=2"}, "data": [
                    {"type": "articles", "id": "1", "attributes": {"title": "JSON:API paints my bikeshed!",
                     "created": "2015-05-22T14:56:29.000Z"},
                     "relationships": {"author": {"links": {"related": "/articles/1/author"},
                      "data": {"type": "people", "id": "9"}},
                      "comments": {"data": [{"type": "comments", "id": "5"}, {"type": "comments", "id": "12"}]}},
                     "links": {"self": "/articles/1"}},
                    {"type": "articles", "id": "2", "attributes": {"title": "More paint",
                     "created": "2015-05-23T14:56:29.000Z"},
                     "relationships": {"author": {"links": {"related": "/articles/2/author"},
                      "data": {"type": "people", "id": "2"}}, "comments": {"data": []}},
                     "links": {"self": "/articles/2"}}],
                    "included": [
                    {"type": "people", "id": "9", "attributes": {"firstName": "Dan", "twitter": "dgeb"}},
                    {"type": "people", "id": "2", "attributes": {"firstName": "Yehuda", "twitter": "wycats"}},
                    {"type": "comments", "id": "5", "attributes": {"body": "First!"}},
                    {"type": "comments", "id": "12", "attributes": {"body": "I like XML better"}}]}
                    """#)
            ],
            """
            entity Article id
            entity Person id
            entity Comment id
            relation Article.author one Person
            relation Article.comments many Comment
            type Article.id text
            type Article.type text
            type Article.title text
            type Article.created date
            type Person.id text
            type Person.type text
            type Person.attributes_firstName text
            type Person.attributes_twitter text
            type Comment.id text
            type Comment.type text
            type Comment.attributes_body text
            page articles json_link links.next
            records articles data
            """),
        Sample(
            "OData",
            [
                Response(
                    "https://services.odata.org/V4/Northwind/Northwind.svc/Orders?$expand=Order_Details",
                    #"""
                    {"@odata.context": "https://services.odata.org/$metadata#Orders", "value": [
                    {"OrderID": 10248, "CustomerID": "VINET", "OrderDate": "1996-07-04T00:00:00Z", "Freight": 32.3800,
                     "ShipName": "Vins", "Order_Details": [
                      {"OrderID": 10248, "ProductID": 11, "UnitPrice": 14.0, "Quantity": 12},
                      {"OrderID": 10248, "ProductID": 42, "UnitPrice": 9.8, "Quantity": 10}]},
                    {"OrderID": 10249, "CustomerID": "TOMSP", "OrderDate": "1996-07-05T00:00:00Z", "Freight": 11.6100,
                     "ShipName": "Toms", "Order_Details": [
                      {"OrderID": 10249, "ProductID": 14, "UnitPrice": 18.6, "Quantity": 9},
                      {"OrderID": 10249, "ProductID": 51, "UnitPrice": 42.4, "Quantity": 40}]},
                    {"OrderID": 10250, "CustomerID": "HANAR", "OrderDate": "1996-07-08T00:00:00Z", "Freight": 65.8300,
                     "ShipName": "Hanari", "Order_Details": [
                      {"OrderID": 10250, "ProductID": 41, "UnitPrice": 7.7, "Quantity": 10}]}],
                    "@odata.nextLink": "https://services.odata.org/V4/Northwind/Northwind.svc/Orders?$skiptoken=10250"}
                    """#)
            ],
            """
            entity Order OrderID
            entity OrderDetail OrderID+ProductID
            relation Order.Order_Details many OrderDetail
            type Order.OrderID integer
            type Order.CustomerID text
            type Order.OrderDate date
            type Order.Freight double
            type Order.ShipName text
            type OrderDetail.OrderID integer
            type OrderDetail.ProductID integer
            type OrderDetail.UnitPrice double
            type OrderDetail.Quantity integer
            page orders json_link @odata\\.nextLink
            records orders value
            """),
        Sample(
            "Elasticsearch",
            [
                Response(
                    "https://search.example.com/products/_search",
                    #"""
                    {"took": 5, "timed_out": false, "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
                     "hits": {"total": {"value": 3000, "relation": "eq"}, "max_score": null, "hits": [
                     {"_index": "products", "_id": "a1", "_score": null, "_source": {"sku": "A-1", "price": 9.5},
                      "sort": [1700000000000, "A-1"]},
                     {"_index": "products", "_id": "a2", "_score": null, "_source": {"sku": "A-2", "price": 10},
                      "sort": [1700000000001, "A-2"]},
                     {"_index": "products", "_id": "a3", "_score": null, "_source": {"sku": "A-3", "price": 12.25},
                      "sort": [1700000000002, "A-3"]}]}}
                    """#)
            ],
            """
            entity Product _id
            type Product._index text
            type Product._id text
            type Product._score auto
            type Product.sku text
            type Product.price double
            type Product.sort json
            records products hits.hits
            """),
        Sample(
            "Slack",
            [
                Response(
                    "https://slack.com/api/conversations.list?limit=2",
                    #"""
                    {"ok": true, "channels": [
                    {"id": "C012AB3CD", "name": "general", "is_channel": true, "created": 1449252889,
                     "creator": "W012A3BCD", "topic": {"value": "Company news", "creator": "", "last_set": 0},
                     "num_members": 4},
                    {"id": "C061EG9T2", "name": "random", "is_channel": true, "created": 1449252890,
                     "creator": "W061EGZ12", "topic": {"value": "Chat", "creator": "", "last_set": 0},
                     "num_members": 5}],
                    "response_metadata": {"next_cursor": "dGVhbTpDMDYxRkE1UEI="}}
                    """#)
            ],
            """
            entity Channel id
            type Channel.id text
            type Channel.name text
            type Channel.is_channel boolean
            type Channel.created integer
            type Channel.creator text
            type Channel.topic_value text
            type Channel.topic_creator text
            type Channel.topic_last_set integer
            type Channel.num_members integer
            page conversations_list cursor response_metadata.next_cursor cursor
            records conversations_list channels
            """),
        Sample(
            "Spring HAL",
            [
                Response(
                    "https://api.example.com/orders",
                    #"""
                    {"_embedded": {"orders": [
                     {"id": 1, "total": 30.5, "status": "shipped", "_links": {"self": {"href": "https://api.example.com/orders/1"}}},
                     {"id": 2, "total": 12, "status": "open", "_links": {"self": {"href": "https://api.example.com/orders/2"}}}]},
                     "_links": {"self": {"href": "https://api.example.com/orders?page=0"},
                      "next": {"href": "https://api.example.com/orders?page=1"}},
                     "page": {"size": 2, "totalElements": 9, "totalPages": 5, "number": 0}}
                    """#)
            ],
            """
            entity Order id
            type Order.id integer
            type Order.total double
            type Order.status text
            page orders json_link _links.next.href
            records orders _embedded.orders
            """),
        Sample(
            "Shopify",
            [
                Response(
                    "https://shop.example.com/admin/api/2024-04/products.json?limit=2",
                    #"""
                    {"products": [
                     {"id": 632910392, "title": "IPod Nano", "vendor": "Apple", "created_at": "2024-04-02T09:05:02-04:00",
                      "tags": "Emotive, Flash", "variants": [
                       {"id": 808950810, "product_id": 632910392, "price": "199.00", "sku": "IPOD2008PINK"},
                       {"id": 49148385, "product_id": 632910392, "price": "199.00", "sku": "IPOD2008RED"}]},
                     {"id": 921728736, "title": "IPod Touch", "vendor": "Apple", "created_at": "2024-04-02T09:05:03-04:00",
                      "tags": "", "variants": [
                       {"id": 447654529, "product_id": 921728736, "price": "199.00", "sku": "IPOD2009BLACK"}]}]}
                    """#,
                    fields: [
                        HeaderField(
                            "link",
                            #"<https://shop.example.com/admin/api/2024-04/products.json?page_info=abc&limit=2>; rel="next""#
                        )
                    ])
            ],
            """
            entity Product id
            entity Variant id
            relation Product.variants many Variant
            relation Variant.product one Product
            type Product.id integer
            type Product.title text
            type Product.vendor text
            type Product.created_at date
            type Product.tags text
            type Variant.id integer
            type Variant.price text
            type Variant.sku text
            page products header_link
            records products products
            """),
        Sample(
            "Reddit",
            [
                Response(
                    "https://www.reddit.com/r/swift/new.json",
                    #"""
                    {"kind": "Listing", "data": {"after": "t3_abc", "dist": 2, "before": null, "children": [
                     {"kind": "t3", "data": {"id": "abd", "title": "Macros", "author": "x", "score": 12,
                      "created_utc": 1700000100.0, "url": "https://swift.org/a"}},
                     {"kind": "t3", "data": {"id": "abc", "title": "Actors", "author": "y", "score": 3,
                      "created_utc": 1700000000.0, "url": "https://swift.org/b"}}]}}
                    """#)
            ],
            """
            entity New id
            type New.kind text
            type New.id text
            type New.title text
            type New.author text
            type New.score integer
            type New.created_utc double
            type New.url url
            page new cursor data.after after
            records new data.children
            """),
        Sample(
            "Airtable",
            [
                Response(
                    "https://api.airtable.com/v0/app/Contacts",
                    #"""
                    {"records": [
                     {"id": "rec560UJdUtocSouk", "createdTime": "2022-09-12T21:03:48.000Z",
                      "fields": {"Name": "Ada", "Age": 36}},
                     {"id": "rec3lbPRG4aVqkeOQ", "createdTime": "2022-09-13T21:03:48.000Z",
                      "fields": {"Name": "Alan"}}], "offset": "itr1/rec3lbPRG4aVqkeOQ"}
                    """#)
            ],
            """
            entity Contact id
            type Contact.id text
            type Contact.createdTime date
            type Contact.Name text
            type Contact.Age integer
            page contacts cursor offset offset
            records contacts records
            """),
        Sample(
            "GitLab",
            [
                Response(
                    "https://gitlab.example.com/api/v4/projects?per_page=2",
                    #"""
                    [{"id": 4, "name": "Diaspora Client", "default_branch": "main", "visibility": "private",
                      "namespace": {"id": 3, "name": "Diaspora", "path": "diaspora", "kind": "group", "parent_id": null},
                      "last_activity_at": "2013-09-30T13:46:02.000Z", "star_count": 0},
                     {"id": 6, "name": "Puppet", "default_branch": "main", "visibility": "private",
                      "namespace": {"id": 4, "name": "Brightbox", "path": "brightbox", "kind": "group", "parent_id": null},
                      "last_activity_at": "2013-09-30T13:46:03.000Z", "star_count": 1}]
                    """#,
                    fields: [
                        HeaderField("X-Total", "41"), HeaderField("X-Total-Pages", "21"),
                        HeaderField("X-Page", "1"),
                    ])
            ],
            """
            entity Project id
            entity Namespace id
            relation Project.namespace one Namespace
            type Project.id integer
            type Project.name text
            type Project.default_branch text
            type Project.visibility text
            type Project.last_activity_at date
            type Project.star_count integer
            type Namespace.id integer
            type Namespace.name text
            type Namespace.path text
            type Namespace.kind text
            type Namespace.parent_id auto
            page projects page_number page 1
            records projects $
            """),
    ]
}
