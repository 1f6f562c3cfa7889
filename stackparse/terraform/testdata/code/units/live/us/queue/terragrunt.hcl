terraform {
  source = "../../../modules//queue"
}
